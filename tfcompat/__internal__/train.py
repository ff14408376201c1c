"""`tf.__internal__.train`: averages of variables, mixed precision, and the file of a checkpoint."""

from tfcompat._keras.training import (
    assign_moving_average,
    is_mixed_precision_graph_rewrite_enabled,
    set_using_mixed_precision_policy,
    update_checkpoint_state,
)

__all__ = [
    "assign_moving_average",
    "is_mixed_precision_graph_rewrite_enabled",
    "set_using_mixed_precision_policy",
    "update_checkpoint_state",
]
