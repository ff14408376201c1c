"""`tf.cond`, `tf.switch_case` and `tf.case`, which call one of several functions.

If the predicate's value is known, only that function is called. In a traced function all of them are traced, and the
program runs one (`branch_op`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.operation.op import GradientRule, Op, ValueCheck
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, found_early
from tfcompat._core.tracing.trace import here, record
from tfcompat._core.types.dtype import bool_, int32
from tfcompat._function.control.branch_op import Branch, choose
from tfcompat._function.graphs.untraced import Parts
from tfcompat._ops.array.layout import reshape
from tfcompat._state.scope import traced_scope


def cond(pred: Any, true_fn: Branch | None = None, false_fn: Branch | None = None, name: str | None = None) -> Any:
    """`true_fn()` if `pred`, else `false_fn()`.

    In a `tf.function` both are traced. They must return tensors of the same dtypes. If the shapes differ and `pred` is
    not computed from constants and shapes by integer arithmetic, the function runs its Python code at each call. If one
    branch finds sizes, calls that take it do.

    Shapes: those that the branches return.
    Dtypes: those that the branches return; `pred` is boolean.
    Gradient: through the branch that was taken.
    Raises: TypeError if a branch is not callable, the branches return different structures or dtypes, or `pred` is a
      Python bool in a `tf.function`.
    Source: TF 2.21 `tf.cond`.
    """
    for branch, parameter in ((true_fn, "true_fn"), (false_fn, "false_fn")):
        if branch is None:
            raise TypeError(f"cond(): '{parameter}' argument required")
        if not callable(branch):
            raise TypeError(f"'{parameter}' must be callable.")
    assert true_fn is not None
    assert false_fn is not None
    if not here.trace.is_symbolic:
        branch, part = (true_fn, "true_fn") if _truth(pred) else (false_fn, "false_fn")
        with Parts().part(part):
            return branch()
    if isinstance(pred, bool):
        raise TypeError("pred must not be a Python bool", pred)
    index = _scalar(convert_to_tensor(pred))
    with traced_scope(name or "cond"):
        return choose("cond", index, [false_fn, true_fn], ("false_fn", "true_fn"))


def _truth(pred: Any) -> bool:
    if isinstance(pred, bool):
        return pred
    tensor = convert_to_tensor(pred)
    if tensor._aval.size == 0:
        raise ValueError("tf.cond: pred must have a truth value, but it is empty.")
    return bool(tensor)


def _scalar(pred: Tensor) -> Tensor:
    if pred.dtype is not bool_:
        raise found_early(f"Input 'pred' passed {pred.dtype.name} expected bool in tf.cond.", is_static=True)
    if pred._aval.size != 1:
        raise found_early(f"tf.cond: pred must be a scalar, but it has shape {pred._aval.shape}.", is_static=True)
    return pred if pred.ndim == 0 else reshape(pred, ())


def switch_case(branch_index: Any, branch_fns: Any, default: Branch | None = None, name: str = "switch_case") -> Any:
    """The result of branch number `branch_index`; if that is out of range, of `default` or else of the last branch.

    `branch_fns` are functions, pairs of a number and a function, or a dictionary of them by number.

    Shapes: those that the branches return.
    Dtypes: those that the branches return; `branch_index` is int32.
    Gradient: through the branch that was taken.
    Raises: TypeError if `branch_index` is not an integer tensor, or the branches return different structures or dtypes;
      InvalidArgumentError if it is not a scalar; ValueError unless the numbers are 0, 1, ... without gaps.
    Source: TF 2.21 `tf.switch_case`.
    """
    if not isinstance(branch_index, Tensor) and not hasattr(type(branch_index), "_as_tensor"):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    index = convert_to_tensor(branch_index)
    if not index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {index.dtype}")
    branches = _numbered(branch_fns)
    if not here.trace.is_symbolic:
        _require_scalar_index(index)
        number = int(index)
        chosen = branches[number] if 0 <= number < len(branches) else default or branches[-1]
        with Parts().part(str(number)):
            return chosen()
    if index.dtype is not int32:
        raise TypeError(
            f"Input 'branch_index' of 'StatelessCase' Op has type {index.dtype.name} that does not match expected type "
            "of int32."
        )
    _require_scalar_index(index)
    if default is not None:
        branches = [*branches, default]
    with traced_scope(name), traced_scope("indexed_case"):
        return choose("switch_case", index, branches, [f"branches[{k}]" for k in range(len(branches))])


def _require_scalar_index(index: Tensor) -> None:
    if index.ndim:
        raise InvalidArgumentError.of(f"tf.switch_case: branch_index must be a scalar, got shape {index.shape}.")


def _numbered(branch_fns: Any) -> list[Branch]:
    if isinstance(branch_fns, dict):
        pairs = list(branch_fns.items())
    elif isinstance(branch_fns, (list, tuple)):
        are_plain = all(map(callable, branch_fns))
        pairs = list(enumerate(branch_fns)) if are_plain else list(branch_fns)
    else:
        raise TypeError("'branch_fns' must be a list, tuple, or dict")
    if not pairs:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'branch_fns' must be a 2-tuple. Received {pair}.")
        if not isinstance(pair[0], int):
            raise TypeError(f"key must be a Python `int`, got {type(pair[0])}")
        if not callable(pair[1]):
            raise TypeError(f"fn for key {pair[0]} must be callable.")
    numbers = sorted(number for number, _ in pairs)
    if numbers != list(range(len(numbers))):
        found = ",".join(map(str, numbers))
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(numbers)}) but found {{{found}}}"
        )
    return [branch for _, branch in sorted(pairs, key=lambda pair: pair[0])]


# The index of the first true condition; the number of conditions if all are false.
_FIRST = Op("case_index", lambda *preds: jnp.argmax(jnp.stack([*preds, jnp.array(True)])).astype(jnp.int32))

_SOME = Op(
    "case",
    lambda *preds: jnp.stack(preds).any(),
    gradient=GradientRule(blocked=True),
    check=ValueCheck(lambda *preds: jnp.logical_not(jnp.stack(preds).any()), "None of conditions evaluated as True"),
)

_SEVERAL = "Input error: exclusive=True: more than 1 conditions evaluated as True"

_ONE = Op(
    "case",
    lambda *preds: jnp.stack(preds).sum() <= 1,
    gradient=GradientRule(blocked=True),
    check=ValueCheck(lambda *preds: jnp.stack(preds).sum() > 1, _SEVERAL),
)


def case(
    pred_fn_pairs: Any, default: Branch | None = None, exclusive: bool = False, strict: bool = False, name: str = "case"
) -> Any:
    """The result of the function whose condition is the first true one among `pred_fn_pairs`, else of `default`.

    With a `default` and `exclusive`, several true conditions are an error. A dictionary is accepted only with
    `exclusive`. Outside of a `tf.function`, a returned list or tuple of one element is unpacked, unless `strict` or
    there is only one function.

    Shapes: those that the functions return.
    Dtypes: those that the functions return; conditions are boolean.
    Gradient: through the function that was called.
    Raises: TypeError if a condition is not a boolean tensor or a function is not callable; ValueError without pairs;
      InvalidArgumentError if no condition is true and no default is given, or if several exclusive ones are true.
    Source: TF 2.21 `tf.case`.
    """
    preds, branches = _pairs(pred_fn_pairs, exclusive)
    if default is not None and not callable(default):
        raise TypeError("'false_fn' must be callable.")
    if not here.trace.is_symbolic:
        found = _called(preds, branches, default, exclusive)
        is_alone = type(found) in (list, tuple) and len(found) == 1
        return found[0] if is_alone and not strict and (default is not None or len(preds) > 1) else found
    index = record(_FIRST, tuple(preds))
    names = [f"branches[{k}]" for k in range(len(branches))]
    if default is None:
        here.graph.effects.append(record(_SOME, tuple(preds)))
    else:
        if exclusive:
            here.graph.effects.append(record(_ONE, tuple(preds)))
        branches, names = [*branches, default], [*names, "default"]
    # In TensorFlow each function is in the conditional of its predicate, in that of the predicates before it.
    nested = [_nested(branch, min(k + 1, len(preds))) for k, branch in enumerate(branches)]
    with traced_scope(name):
        return choose("case", index, nested, names)


def _nested(branch: Branch, depth: int) -> Branch:
    """`branch` in as many scopes of conditionals as `depth`."""

    def called() -> Any:
        with traced_scope("/".join(["cond"] * depth)):
            return branch()

    return called


def _called(preds: Sequence[Tensor], branches: Sequence[Branch], default: Branch | None, exclusive: bool) -> Any:
    if exclusive and default is not None and sum(map(bool, preds)) > 1:
        raise InvalidArgumentError.of(_SEVERAL)
    parts = Parts()
    for place, (pred, branch) in enumerate(zip(preds, branches, strict=True)):
        if pred:
            with parts.part(str(place)):
                return branch()
    if default is None:
        raise InvalidArgumentError.of("Input error: None of conditions evaluated as True:")
    with parts.part("default"):
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
