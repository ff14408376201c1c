"""`tf.__internal__.distribute`: how optimizers update variables under a strategy."""

from tfcompat.__internal__.distribute import interim
from tfcompat._distribute.default_strategy import strategy_supports_no_merge_call, variable_sync_on_read_context
from tfcompat._keras.unsupported import ShardedVariable

__all__ = ["ShardedVariable", "interim", "strategy_supports_no_merge_call", "variable_sync_on_read_context"]
