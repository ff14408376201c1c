"""Declaring an op: `@op` turns a function on JAX arrays into TensorFlow's function on tensors.

The annotations give the kinds of parameters. `Array` is a tensor, `Arrays` a list of them, `Number` a scalar that is a
value (changing it compiles nothing); all else is structure: `int`, `bool`, `str`, `Axes` (`AttributeAxes` where
TensorFlow has them as an attribute, not a tensor), `Ints` (nested integers), `Shape`, `Dtype`, each with `| None` where
TensorFlow takes None. All of this is determined once, at declaration; a call converts, checks dtypes and records.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from tfcompat._core.calls.by_trial import by_host
from tfcompat._core.calls.call import Call
from tfcompat._core.calls.convert import as_tensor
from tfcompat._core.calls.declaration import Check, Declaration, registry
from tfcompat._core.calls.spelling import is_variable
from tfcompat._core.calls.static import STATIC, integer, integers, shape
from tfcompat._core.operation.op import Op, Window
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import record_beside, record_one, record_pair
from tfcompat._core.types.aval import Aval
from tfcompat._core.types.dtype import DENSE, DType

__all__ = [
    "Array",
    "Arrays",
    "AttributeAxes",
    "Axes",
    "Check",
    "Dtype",
    "Ints",
    "Number",
    "Shape",
    "integer",
    "integers",
    "op",
    "registry",
    "shape",
]

Array = Any
Arrays = Sequence[Any]
Number = Any
Axes = int | tuple[int, ...] | None
AttributeAxes = Axes
Ints = Any
Shape = tuple[int, ...]
Dtype = DType


def op(
    name: str | None = None,
    *,
    dtypes: frozenset[DType] | dict[str, frozenset[DType]] = DENSE,
    same: tuple[str, ...] | None = None,
    differentiable: bool | tuple[str, ...] = True,
    validate: Callable[..., None] | None = None,
    infers: Callable[..., Aval | None] | None = None,
    on_host: Callable[..., Any] | None = None,
    check: Check | None = None,
    fold: Callable[..., Any] | None = None,
    strings: Callable[..., Any] | None = None,
    structure: Callable[[Any], Any] | None = None,
    windows: Callable[..., dict[int, Window]] | None = None,
    **options: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares an op.

    Args:
      name: TensorFlow's name without `tf.`; default the function's.
      dtypes: the allowed dtypes: of the parameters in `same`, or by parameter.
      same: parameters that share a dtype; default all tensors.
      differentiable: False if the gradient through this op is None in TensorFlow; or the names of the parameters that
        receive a gradient.
      validate: takes the op's arguments with avals in place of arrays, and raises an error if their shapes don't fit.
      infers: takes the op's arguments with avals in place of arrays, and returns the aval of the only output without
        calling JAX, which takes milliseconds for each new op and shape; or None, to call it, as for
        arguments that JAX refuses although `validate` accepts them. Sizes may be symbols.
      on_host: the same function in NumPy, which is called instead when the host evaluates the op.
      check: a rule about values.
      fold: the same function in NumPy. Small integers that are known on the host (shapes) stay there.
      strings: the same function in NumPy on arrays of bytes, if it differs from `fold`. An op that takes strings and
        has neither of the two only moves elements or compares them for equality.
      structure: for an op with many outputs: converts their tuple to TensorFlow's structure (`list`, `tuple`, a named
        tuple's `_make`).
      windows: a function of the static attributes that returns `Op.windows`.
      options: `cuts`, `flat`, `rows`, `passes`, `no_gradient`, `no_second` of `GradientRule`; `gradient_reads` is its
        `reads`.
    """

    def declare(body: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(body)
        parameters = list(signature.parameters.values())
        kinds = {p.name: str(p.annotation).removesuffix(" | None") for p in parameters}
        arrays = tuple(p.name for p in parameters if kinds[p.name] in ("Array", "Arrays"))
        static = {p.name: STATIC[kinds[p.name]] for p in parameters if kinds[p.name] in STATIC}
        group = arrays if same is None else same
        declared = Declaration(
            name or body.__name__,
            body,
            dtypes if isinstance(dtypes, dict) else dict.fromkeys(group, dtypes),
            same=group,
            differentiable=differentiable,
            options=options,
            validate=validate,
            infers=infers,
            on_host=on_host,
            check=check,
            fold=fold,
            strings=strings,
            structure=structure,
            windows=windows,
            arrays=arrays,
            variadic=next((p.name for p in parameters if kinds[p.name] == "Arrays"), None),
            numbers=tuple(p.name for p in parameters if kinds[p.name] == "Number"),
            static=static,
            shapes=frozenset(p.name for p in parameters if kinds[p.name] == "Shape"),
            defaults={p.name: static[p.name](p.default) for p in parameters if p.name in static and _has_default(p)},
        )
        unknown = set(kinds) - {*declared.arrays, *declared.numbers, *declared.static}
        if unknown:
            found = ", ".join(f"{name}: {kinds[name]}" for name in sorted(unknown))
            expected = ", ".join(("Array", "Arrays", "Number", *STATIC))
            raise TypeError(f"@op {declared.name}: parameters must be annotated with one of {expected}; got {found}.")
        registry[declared.name] = declared
        declared.public = _public(declared, body, signature)
        return declared.public

    return declare


def _has_default(parameter: inspect.Parameter) -> bool:
    return parameter.default is not inspect.Parameter.empty


def _tensor_of(value: Any) -> Tensor | None:
    """The tensor that `value` converts to; None if it isn't such a value."""
    if hasattr(value, "_as_tensor"):
        return value._as_tensor()
    return as_tensor(value) if is_variable(value) else None


def _call_first(
    declared: Declaration,
    parameters: list[inspect.Parameter],
    known: dict[Any, Op],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """The first call. It creates the `Call`, because programs never call most of the ops."""
    defaults = {p.name: p.default for p in parameters if _has_default(p)}
    declared.call = Call(declared, [p.name for p in parameters], defaults, known)
    return declared.call(args, kwargs)


def _public(declared: Declaration, body: Callable[..., Any], signature: inspect.Signature) -> Callable[..., Any]:
    parameters = list(signature.parameters.values())
    known: dict[Any, Op] = {}
    declared.call = functools.partial(_call_first, declared, parameters, known)

    @functools.wraps(body)
    def public(*args: Any, **kwargs: Any) -> Any:
        try:
            if kwargs or not known:
                return declared.call(args, kwargs)
            if len(args) == 1:
                x = args[0]
                if type(x) is not Tensor:
                    x = _tensor_of(x)
                if x is not None and (op := known.get(x._aval.dtype)) is not None:
                    return record_one(op, x)
            elif len(args) == 2:
                x, y = args
                if type(x) is not Tensor:
                    x = _tensor_of(x)
                if type(y) is float:
                    if x is not None and (op := known.get((x._aval.dtype, float))) is not None:
                        return record_beside(op, x, y)
                    return declared.call(args, kwargs)
                if type(y) is not Tensor:
                    y = _tensor_of(y)
                if x is not None and y is not None and (op := known.get((x._aval.dtype, y._aval.dtype))) is not None:
                    return record_pair(op, x, y)
            return declared.call(args, kwargs)
        except Exception as refusal:
            found = by_host(refusal, public, args, kwargs)
            if found is None:
                raise
            return found

    named = inspect.Parameter("name", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)
    vars(public).update(__signature__=signature.replace(parameters=[*parameters, named]), declaration=declared)
    return public
