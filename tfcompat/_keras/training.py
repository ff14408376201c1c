"""Averages of variables, policies of mixed precision, and the file of a checkpoint, for Keras."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._saved.state_file import write_state


def assign_moving_average(variable: Any, value: Any, decay: Any, zero_debias: bool = True, name: Any = None) -> Any:
    """Sets `variable` to `decay * variable + (1 - decay) * value`, and returns it.

    Raises: NotImplementedError if zero_debias.
    Source: TF 2.21 `tf.__internal__.train.assign_moving_average`.
    """
    if zero_debias:
        raise NotImplementedError(
            "tf.__internal__.train.assign_moving_average: zero_debias=True is not supported, since it makes variables; "
            "pass zero_debias=False."
        )
    rest = cast(convert_to_tensor(1.0 - decay), variable.dtype)
    return variable.assign_sub((variable - value) * rest, name=name)


def is_mixed_precision_graph_rewrite_enabled() -> bool:
    """False: no graph is rewritten.

    Source: TF 2.21 `tf.__internal__.train.is_mixed_precision_graph_rewrite_enabled`.
    """
    return False


def set_using_mixed_precision_policy(value: bool) -> None:
    """Does nothing with `value`.

    Only `tf.compat.v1.mixed_precision.enable_mixed_precision_graph_rewrite` reads it, which is not supported.

    Source: TF 2.21 `tf.__internal__.train.set_using_mixed_precision_policy`.
    """
    del value


def update_checkpoint_state(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    latest_filename: str | None = None,
    save_relative_paths: bool = False,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Writes the file of `save_dir` that names its checkpoints, relative to it.

    Raises: NotImplementedError for a `latest_filename`, and unless `save_relative_paths`.
    Source: TF 2.21 `tf.__internal__.train.update_checkpoint_state`.
    """
    if latest_filename is not None or not save_relative_paths:
        raise NotImplementedError(
            "tf.__internal__.train.update_checkpoint_state: latest_filename, and absolute names, are not supported."
        )
    every = list(all_model_checkpoint_paths or ())
    if model_checkpoint_path not in every:
        every.append(model_checkpoint_path)
    write_state(save_dir, model_checkpoint_path, every, all_model_checkpoint_timestamps or (), last_preserved_timestamp)
