"""`tf.case` with another function for conditions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

Branch = Callable[[], Any]


def case_helper(
    cond_fn: Callable[..., Any],
    pred_fn_pairs: Any,
    default: Branch | None,
    exclusive: bool,
    name: str | None,
    allow_python_preds: bool = False,
    **cond_kwargs: Any,
) -> Any:
    """The result of the function beside the first true condition of `pred_fn_pairs`; of `default` without one.

    Raises: NotImplementedError if exclusive; TypeError if a function cannot be called; ValueError without pairs.
    Source: TF 2.21, `_case_helper` of `tensorflow.python.ops.control_flow_case`.
    """
    del name, allow_python_preds
    if exclusive:
        raise NotImplementedError("_case_helper: exclusive=True is not supported; use tf.case.")
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    if not pairs:
        raise ValueError("_case_helper: pred_fn_pairs must contain at least one pair.")
    if not all(callable(function) for _, function in pairs) or not (default is None or callable(default)):
        raise TypeError("_case_helper: every function in pred_fn_pairs, and default, must be callable.")
    chosen = pairs.pop()[1] if default is None else default
    for predicate, function in reversed(pairs):
        chosen = functools.partial(cond_fn, predicate, true_fn=function, false_fn=chosen, **cond_kwargs)
    return chosen()
