"""`tf.__internal__.distribute`: how optimizers update variables under a strategy."""

from tfcompat.__internal__.distribute import interim
from tfcompat._distribute.default_strategy import strategy_supports_no_merge_call

__all__ = ["interim", "strategy_supports_no_merge_call"]
