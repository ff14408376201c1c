"""AutoGraph for libraries, whose own functions it does not rewrite: the functions that users give them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._core.tracing.trace import here
from tfcompat._function.autograph import library
from tfcompat._function.autograph.conversion import converted_with, do_not_convert


def control_status_ctx() -> Any:
    """The status of AutoGraph in this thread: enabled, disabled, or unspecified outside of every `tf.function`.

    Source: TF 2.21 `tf.__internal__.autograph.control_status_ctx`.
    """
    return library.current()


def _is_off() -> bool:
    """Whether a function is being traced: it has asked for no AutoGraph if the status is not enabled."""
    return here.graph is not None and not getattr(here.graph, "infers_only", False)


def tf_convert(
    f: Callable[..., Any], ctx: Any, convert_by_default: bool = True, user_requested: bool = False
) -> Callable[..., Any]:
    """`f`, which AutoGraph rewrites when it is called if it is enabled in `ctx`, and leaves as it is if disabled.

    Args:
      ctx: a result of `control_status_ctx()`.
      convert_by_default: whether an unspecified status counts as enabled.
      user_requested: whether functions of libraries are rewritten too.

    Source: TF 2.21 `tf.__internal__.autograph.tf_convert`.
    """
    if library.is_marked(f):
        return f
    if ctx.status is library.DISABLED or (ctx.status is not library.ENABLED and _is_off()):
        return do_not_convert(f)
    if ctx.status is not library.ENABLED and not convert_by_default:
        return f
    return converted_with(f, library.Options(recursive=True, user_requested=user_requested, optional_features=()))
