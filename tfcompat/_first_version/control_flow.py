"""Conditions and loops of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._autodiff.connection import UnconnectedGradients
from tfcompat._first_version.argument import either
from tfcompat._function.control.branch import cond as cond_v2
from tfcompat._function.control.while_loop import while_loop as while_loop_v2
from tfcompat._function.graphs import gradients as gradient_functions
from tfcompat._function.graphs.mode import executing_eagerly

Branch = Callable[[], Any]


def cond(
    pred: Any,
    true_fn: Branch | None = None,
    false_fn: Branch | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Branch | None = None,
    fn2: Branch | None = None,
) -> Any:
    """`tf.cond`, whose functions may be called `fn1` and `fn2`. Unless `strict`, an eager list of one is its element.

    Raises: TypeError if a function is missing, or given twice.
    Source: TF 2.21 `tf.compat.v1.cond`.
    """
    for modern, older, both in ((true_fn, fn1, "true_fn and fn1"), (false_fn, fn2, "false_fn and fn2")):
        if modern is not None and older is not None:
            raise TypeError(f"cond(): '{both}' may not be set simultaneously.")
    result = cond_v2(pred, either("true_fn", true_fn, "fn1", fn1), either("false_fn", false_fn, "fn2", fn2), name)
    return result[0] if _is_single(result) and executing_eagerly() and not strict else result


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """`tf.while_loop`. In a `tf.function` one variable is returned itself, unless `return_same_structure`.

    Source: TF 2.21 `tf.compat.v1.while_loop`.
    """
    result = while_loop_v2(
        cond, body, loop_vars, shape_invariants, parallel_iterations, back_prop, swap_memory, maximum_iterations, name
    )
    return result[0] if _is_single(result) and not executing_eagerly() and not return_same_structure else result


def _is_single(result: Any) -> bool:
    return isinstance(result, (list, tuple)) and not hasattr(result, "_fields") and len(result) == 1


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> list[Any]:
    """`tf.gradients`; XLA chooses where the gradients are computed.

    Raises: RuntimeError in eager execution.
    Source: TF 2.21 `tf.compat.v1.gradients`.
    """
    del colocate_gradients_with_ops
    return gradient_functions.gradients(
        ys, xs, grad_ys, name, gate_gradients, aggregation_method, stop_gradients, unconnected_gradients
    )
