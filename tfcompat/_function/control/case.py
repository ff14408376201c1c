"""`tf.case`: the function behind the first true condition is called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.dtype import bool_
from tfcompat._core.error import InvalidArgumentError
from tfcompat._core.op import Op
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import here, record
from tfcompat._function.control.choice import Branch, choose

# The number of the first true condition; so many as there are if none is.
_FIRST = Op("case_index", lambda *preds: jnp.argmax(jnp.stack([*preds, jnp.array(True)])).astype(jnp.int32))

_SOME = Op(
    "case",
    lambda *preds: jnp.stack(preds).any(),
    blocked=True,
    flag=lambda *preds: jnp.logical_not(jnp.stack(preds).any()),
    complaint="None of conditions evaluated as True",
)

_SEVERAL = "Input error: exclusive=True: more than 1 conditions evaluated as True"

_ONE = Op(
    "case",
    lambda *preds: jnp.stack(preds).sum() <= 1,
    blocked=True,
    flag=lambda *preds: jnp.stack(preds).sum() > 1,
    complaint=_SEVERAL,
)


def case(
    pred_fn_pairs: Any, default: Branch | None = None, exclusive: bool = False, strict: bool = False, name: str = "case"
) -> Any:
    """The result of the function whose condition is the first true one among `pred_fn_pairs`, else of `default`.

    With a `default`, several true conditions are an error if they are `exclusive`; that also allows a dictionary. Where
    values are known, a function's list of one is answered as what is in it, unless `strict`.

    Shapes: those that the functions return.
    Dtypes: those that the functions return; conditions are boolean.
    Gradient: through the function that was called.
    Raises: TypeError if a condition is no boolean tensor or a function can't be called; ValueError without pairs;
      InvalidArgumentError if no condition is true and there is no default, or several are and must not.
    Source: TF 2.21 `tf.case`.
    """
    del name
    preds, branches = _pairs(pred_fn_pairs, exclusive)
    if default is not None and not callable(default):
        raise TypeError("'false_fn' must be callable.")
    if not here.trace.is_symbolic:
        found = _called(preds, branches, default, exclusive)
        return found[0] if not strict and type(found) in (list, tuple) and len(found) == 1 else found
    index = record(_FIRST, tuple(preds))
    if default is None:
        here.graph.effects.append(record(_SOME, tuple(preds)))
        return choose("case", index, branches, [f"branches[{k}]" for k in range(len(branches))])
    if exclusive:
        here.graph.effects.append(record(_ONE, tuple(preds)))
    names = [*(f"branches[{k}]" for k in range(len(branches))), "default"]
    return choose("case", index, [*branches, default], names)


def _called(preds: Sequence[Tensor], branches: Sequence[Branch], default: Branch | None, exclusive: bool) -> Any:
    if exclusive and default is not None and sum(map(bool, preds)) > 1:
        raise InvalidArgumentError.of(_SEVERAL)
    for pred, branch in zip(preds, branches, strict=True):
        if pred:
            return branch()
    if default is None:
        raise InvalidArgumentError.of("Input error: None of conditions evaluated as True:")
    return default()


def _pairs(pred_fn_pairs: Any, exclusive: bool) -> tuple[list[Tensor], list[Branch]]:
    if not isinstance(pred_fn_pairs, (list, tuple, dict)):
        raise TypeError(f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(pred_fn_pairs)}")
    pairs: Sequence[Any] = list(pred_fn_pairs.items()) if isinstance(pred_fn_pairs, dict) else pred_fn_pairs
    if isinstance(pred_fn_pairs, dict) and not exclusive:
        raise ValueError(
            "Unordered dictionaries are not supported for the 'pred_fn_pairs' argument when `exclusive=False` and "
            "eager mode is enabled."
        )
    if not pairs:
        raise ValueError("tf.case: at least one pair must be given.")
    preds: list[Tensor] = []
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
        pred, branch = pair
        if not isinstance(pred, Tensor) and not hasattr(type(pred), "_as_tensor"):
            raise TypeError(f"pred must be a Tensor, got: {pred}")
        tensor = convert_to_tensor(pred)
        if tensor.dtype is not bool_:
            raise TypeError(f"pred must be Tensor of type bool: {tensor}")
        if not callable(branch):
            raise TypeError(f"fn for pred {tensor} must be callable.")
        preds.append(tensor)
    return preds, [branch for _, branch in pairs]
