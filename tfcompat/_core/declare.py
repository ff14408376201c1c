"""Declaring an op: `@op` turns a function on JAX arrays into TensorFlow's function on tensors.

The annotations say what a parameter is. `Array` is a tensor, `Arrays` a list of them, `Number` a scalar that is a value
(changing it compiles nothing);
all else is structure: `int`, `bool`, `str`, `Axes`, `Ints` (nested integers), `Shape`, `Dtype`, each with `| None`
  where TensorFlow takes None.
Everything is worked out once, at declaration; a call converts, checks dtypes and records.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tfcompat._core.convert import as_tensor, convert_to_tensor
from tfcompat._core.dtype import BOOL, COMPLEX, DENSE, FLOATING, INTEGER, DType, as_dtype
from tfcompat._core.error import InvalidArgumentError
from tfcompat._core.op import Op
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import record

Array = Any
Arrays = Sequence[Any]
Number = Any
Axes = int | tuple[int, ...] | None
Ints = Any
Shape = tuple[int, ...]
Dtype = DType


@dataclass
class Check:
    """A rule about values: it is checked on the host if they are finished arrays, else by a flag among the program's
    outputs.

    Attributes:
      reads: the parameters whose values count.
      flag: takes all of the op's arrays and attributes, those not in `reads` perhaps without values (only shapes), and
        returns an array of booleans that is true where a value is bad. Uses operators and methods only, so that it runs
        on NumPy and on JAX arrays.
      complaint: what is wrong then.
    """

    reads: tuple[str, ...]
    flag: Callable[..., Any]
    complaint: str


@dataclass
class Declaration:
    """What `@op` found out about a function. `registry` holds all of them by TensorFlow's name."""

    name: str
    body: Callable[..., Any]
    dtypes: dict[str, frozenset[DType]]
    same: tuple[str, ...]
    differentiable: bool | tuple[str, ...]
    options: dict[str, Any]
    validate: Callable[..., None] | None
    check: Check | None
    fold: Callable[..., Any] | None
    structure: Callable[[Any], Any] | None
    arrays: tuple[str, ...] = ()
    variadic: str | None = None
    numbers: tuple[str, ...] = ()
    static: dict[str, Callable[[Any], Any]] = field(default_factory=dict)
    bound: dict[Any, Op] = field(default_factory=dict)
    public: Callable[..., Any] = field(init=False)

    def bind(self, attributes: tuple[Any, ...], count: int, is_checked: bool) -> Op:
        """The op with static `attributes`; `count` tensors stand for the variadic parameter."""
        key = (attributes, count, is_checked)
        found = self.bound.get(key)
        if found is None:
            found = self.bound[key] = self._bind(attributes, count, is_checked)
        return found

    def _bind(self, attributes: tuple[Any, ...], count: int, is_checked: bool) -> Op:
        named = dict(zip(self.static, attributes, strict=True))
        positions = _positions(self, count)
        blocked: bool | frozenset[int] = self.differentiable is False
        if isinstance(self.differentiable, tuple):
            blocked = frozenset(i for i, name in enumerate(positions) if name not in self.differentiable)
        label = ", ".join(f"{name}={value!r}" for name, value in named.items() if value is not None)
        return Op(
            self.name,
            _calling(self, self.body, named, count),
            label=label,
            many=self.structure is not None,
            blocked=blocked or frozenset(),
            validate=_calling(self, self.validate, named, count) if self.validate else None,
            flag=_calling(self, self.check.flag, named, count) if is_checked and self.check else None,
            complaint=self.check.complaint if is_checked and self.check else "",
            **self.options,
        )


registry: dict[str, Declaration] = {}


def _positions(declared: Declaration, count: int) -> list[str]:
    names: list[str] = []
    for name in declared.arrays:
        names += [name] * (count if name == declared.variadic else 1)
    return [*names, *declared.numbers]


def _calling(declared: Declaration, body: Callable[..., Any], named: dict[str, Any], count: int) -> Callable[..., Any]:
    """`body` with its static attributes, taking the op's arrays and numbers one after another."""
    if declared.variadic is None:
        names = (*declared.arrays, *declared.numbers)

        def call(*inputs: Any) -> Any:
            return body(**dict(zip(names, inputs, strict=True)), **named)

        return call
    before = declared.arrays.index(declared.variadic)
    singles = [name for name in (*declared.arrays, *declared.numbers) if name != declared.variadic]

    def call_variadic(*inputs: Any) -> Any:
        rest = (*inputs[:before], *inputs[before + count :])
        return body(
            **dict(zip(singles, rest, strict=True)),
            **named,
            **{declared.variadic: list(inputs[before : before + count])},
        )

    return call_variadic


def op(
    name: str | None = None,
    *,
    dtypes: frozenset[DType] | dict[str, frozenset[DType]] = DENSE,
    same: tuple[str, ...] | None = None,
    differentiable: bool | tuple[str, ...] = True,
    validate: Callable[..., None] | None = None,
    check: Check | None = None,
    fold: Callable[..., Any] | None = None,
    structure: Callable[[Any], Any] | None = None,
    **options: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares an op.

    Args:
      name: TensorFlow's name without `tf.`; default the function's.
      dtypes: what the tensors may be: of the parameters in `same`, or by parameter.
      same: parameters that share a dtype; default all tensors.
      differentiable: False if TensorFlow answers None through this op; or the names of those parameters that a gradient
        flows to.
      validate: takes the op's arguments with avals in place of arrays, and raises what is wrong with their shapes.
      check: a rule about values.
      fold: the same function in NumPy. Small integers that are known on the host (shapes) stay there.
      structure: for an op with many outputs: what makes TensorFlow's structure of their tuple (`list`, `tuple`, a named
        tuple's `_make`).
      options: `flat`, `rows`, `no_gradient` of `Op`.
    """

    def declare(body: Callable[..., Any]) -> Callable[..., Any]:
        parameters = list(inspect.signature(body).parameters.values())
        kinds = {p.name: str(p.annotation).removesuffix(" | None") for p in parameters}
        arrays = tuple(p.name for p in parameters if kinds[p.name] in ("Array", "Arrays"))
        group = arrays if same is None else same
        declared = Declaration(
            name or body.__name__,
            body,
            dtypes if isinstance(dtypes, dict) else dict.fromkeys(group, dtypes),
            *(group, differentiable, options, validate, check, fold, structure, arrays),
            variadic=next((p.name for p in parameters if kinds[p.name] == "Arrays"), None),
            numbers=tuple(p.name for p in parameters if kinds[p.name] == "Number"),
            static={p.name: _STATIC[kinds[p.name]] for p in parameters if kinds[p.name] in _STATIC},
        )
        unknown = set(kinds) - {*declared.arrays, *declared.numbers, *declared.static}
        if unknown:
            raise TypeError(f"@op {declared.name}: no kind of parameter is annotated {[kinds[u] for u in unknown]}")
        registry[declared.name] = declared
        declared.public = _public(declared, body, parameters)
        return declared.public

    return declare


def _public(declared: Declaration, body: Callable[..., Any], parameters: list[inspect.Parameter]) -> Callable[..., Any]:
    names = [p.name for p in parameters]
    accepted = {*names, "name"}
    defaults = {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}
    leading = _leading_arrays(declared)
    allowed = declared.dtypes[declared.same[0]] if declared.same else DENSE
    known: dict[Any, Op] = {}

    @functools.wraps(body)
    def public(*args: Any, **kwargs: Any) -> Any:
        if leading and len(args) >= leading and type(args[0]) is Tensor:
            dtype = args[0]._aval.dtype
            if dtype in allowed and (leading == 1 or (type(args[1]) is Tensor and args[1]._aval.dtype is dtype)):
                op = known.get(_spelling(args[leading:], kwargs)) if len(args) > leading or kwargs else known.get(())
                if op is not None and not (declared.fold is not None and args[0]._aval.is_small_integer):
                    answer = record(op, args[:leading])
                    return answer if declared.structure is None else declared.structure(answer)
        values = _arguments(declared.name, names, accepted, defaults, args, kwargs)
        return _apply(declared, values, known, _spelling(args[leading:], kwargs) if leading else None)

    signature = inspect.signature(body)
    named = inspect.Parameter("name", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)
    public.__signature__ = signature.replace(parameters=[*parameters, named])  # pyright: ignore[reportFunctionMemberAccess]
    public.declaration = declared  # pyright: ignore[reportFunctionMemberAccess]
    return public


def _leading_arrays(declared: Declaration) -> int:
    """1 or 2 if the op takes so many tensors, of one dtype, and structure only beside them:

    then its calls can be remembered as they are spelled.
    """
    is_plain = (
        declared.variadic is None
        and not declared.numbers
        and declared.check is None
        and declared.same == declared.arrays
    )
    return len(declared.arrays) if is_plain and len(declared.arrays) in (1, 2) else 0


def _spelling(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The static arguments as they were given, if they are hashable; None if not."""
    if not args and not kwargs:
        return ()
    if "name" in kwargs:
        return None
    given = tuple([tuple(v) if type(v) is list else v for v in (*args, *kwargs.values())])
    for value in given:
        if type(value) not in _SPELLED and not (type(value) is tuple and all(type(v) is int for v in value)):
            return None
    return (len(args), *kwargs, *given, *map(type, given))


_SPELLED = frozenset((int, bool, str, type(None), DType))


def _arguments(
    name: str,
    names: list[str],
    accepted: set[str],
    defaults: dict[str, Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> dict[str, Any]:
    """The arguments by parameter name. Raises TypeError as a Python call would."""
    if len(args) > len(names) + 1:
        raise TypeError(f"tf.{name}: takes at most {len(names) + 1} arguments, got {len(args)}.")
    values = dict(zip((*names, "name"), args, strict=False))
    for key, value in kwargs.items():
        if key not in accepted or key in values:
            problem = "got multiple values for" if key in values else "got an unexpected keyword"
            raise TypeError(f"tf.{name}: {problem} argument {key!r}.")
        values[key] = value
    for key in names:
        if key not in values:
            if key not in defaults:
                raise TypeError(f"tf.{name}: missing the required argument {key!r}.")
            values[key] = defaults[key]
    return values


def _apply(declared: Declaration, values: dict[str, Any], known: dict[Any, Op], spelling: Any) -> Any:
    operands = _operands(declared, values)
    attributes = tuple(_static(declared.name, key, freeze, values[key]) for key, freeze in declared.static.items())
    count = len(operands) - len(declared.arrays) + 1
    if declared.fold is not None and all(map(_is_foldable, operands)):
        return _folded(declared, operands, attributes)
    is_checked = declared.check is not None and not _passes_on_host(declared, declared.check, operands, attributes)
    operands += [_number(declared.name, key, values[key]) for key in declared.numbers]
    op = declared.bind(attributes, count, is_checked)
    if spelling is not None:
        known[spelling] = op
    answer = record(op, tuple(operands))
    return answer if declared.structure is None else declared.structure(answer)


def _operands(declared: Declaration, values: dict[str, Any]) -> list[Any]:
    """The tensors (and, where they may stay that, Python numbers) of the call, with dtypes matched and checked."""
    given: dict[str, list[Any]] = {}
    for key in declared.arrays:
        if key == declared.variadic:
            if not isinstance(values[key], (list, tuple)):
                values[key] = [values[key]] if declared.name == "concat" else list(values[key])
            given[key] = [as_tensor(v) if as_tensor(v) is not None else v for v in values[key]]
        else:
            tensor = as_tensor(values[key])
            given[key] = [values[key] if tensor is None else tensor]
    dtype = _shared_dtype(declared, given)
    numbers_stay = (
        declared.arrays
        and declared.arrays[-1] in declared.same
        and any(type(v) is Tensor for key in declared.same for v in given[key])
    )
    operands: list[Any] = []
    for key in declared.arrays:
        shares = key in declared.same
        for value in given[key]:
            operands.append(_operand(declared, key, value, dtype if shares else None, bool(shares and numbers_stay)))
    return operands


def _shared_dtype(declared: Declaration, given: dict[str, list[Any]]) -> DType | None:
    members = [value for key in declared.same for value in given.get(key, ())]
    for value in members:
        if type(value) is Tensor:
            return value._aval.dtype
    return convert_to_tensor(members[0])._aval.dtype if members else None


def _operand(declared: Declaration, key: str, value: Any, dtype: DType | None, may_be_number: bool) -> Any:
    if type(value) is not Tensor:
        if dtype is not None and may_be_number and type(value) in (float, int, bool):
            number = as_number(value, dtype)
            if number is not None:
                _require(declared, key, dtype)
                return number
        value = convert_to_tensor(value, dtype)
    elif dtype is not None and value._aval.dtype is not dtype:
        raise InvalidArgumentError.of(
            f"tf.{declared.name}: {' and '.join(declared.same)} must have the same dtype, got {value._aval.dtype.name} "
            f"where {dtype.name} was expected; convert with tf.cast."
        )
    _require(declared, key, value._aval.dtype)
    return value


def _require(declared: Declaration, key: str, dtype: DType) -> None:
    allowed = declared.dtypes.get(key, DENSE)
    if dtype not in allowed:
        names = ", ".join(sorted(d.name for d in allowed))
        raise InvalidArgumentError.of(f"tf.{declared.name}: {key} must be one of {names}; got {dtype.name}.")


def as_number(value: Any, dtype: DType) -> float | int | None:
    """A Python scalar as a number operand beside tensors of `dtype`; None if it has to become a tensor.

    Raises: TypeError if TensorFlow doesn't convert it.
    """
    if dtype in FLOATING or dtype in COMPLEX:
        if type(value) is bool:
            raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {dtype.name}")
        return float(value)
    if dtype in INTEGER and type(value) is not float:
        limits = np.iinfo(np.int64)
        return int(value) if limits.min <= value <= limits.max else None
    if dtype in BOOL and type(value) is bool:
        return None
    raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {dtype.name}")


def _number(name: str, key: str, value: Any) -> Any:
    """The value of a `Number` parameter: a Python float, or a tensor."""
    tensor = as_tensor(value)
    if tensor is not None:
        return tensor
    if isinstance(value, (int, float, np.generic, np.ndarray)) and not isinstance(value, bool) and np.ndim(value) == 0:
        return float(value)
    raise TypeError(f"tf.{name}: {key} must be a number, got {value!r}.")


def _is_foldable(operand: Any) -> bool:
    return type(operand) is int or (
        type(operand) is Tensor and operand._aval.is_small_integer and type(operand._array) is np.ndarray
    )


def _folded(declared: Declaration, operands: list[Any], attributes: tuple[Any, ...]) -> Tensor:
    dtype = next((o._aval.struct.dtype for o in operands if type(o) is Tensor), np.int32)
    arrays = [o._array if type(o) is Tensor else np.asarray(o, dtype) for o in operands]
    assert declared.fold is not None
    return Tensor(np.asarray(declared.fold(*arrays, **dict(zip(declared.static, attributes, strict=True)))))


def _passes_on_host(declared: Declaration, check: Check, operands: list[Any], attributes: tuple[Any, ...]) -> bool:
    """Whether the values that `check` reads are known and good.

    Raises InvalidArgumentError if they are known and bad.
    """
    named = dict(zip(declared.arrays, operands, strict=False))
    if any(type(named[key]) is Tensor and named[key]._array is None for key in check.reads):
        return False
    arguments: dict[str, Any] = {}
    for key, operand in named.items():
        if type(operand) is Tensor:
            arguments[key] = np.asarray(operand._array) if key in check.reads else operand._aval
        else:
            arguments[key] = operand
    bad = np.asarray(check.flag(**arguments, **dict(zip(declared.static, attributes, strict=True))))
    if bad.any():
        raise InvalidArgumentError.of(
            f"tf.{declared.name}: {check.complaint} (first at position {np.argwhere(bad)[0].tolist()})."
        )
    return True


def _static(name: str, key: str, freeze: Callable[[Any], Any], value: Any) -> Any:
    try:
        return freeze(value)
    except (TypeError, ValueError) as refused:
        raise type(refused)(f"tf.{name}: {key} can't be {value!r}: {refused}") from refused


def integer(value: Any) -> int | None:
    """A static integer, or None."""
    if value is None or type(value) is int:
        return value
    if isinstance(value, (bool, float)) or (hasattr(value, "dtype") and not as_dtype(value.dtype).is_integer):
        raise TypeError("an integer is expected")
    return int(value.__index__())


def integers(value: Any) -> Any:
    """Nested static integers as tuples; tensors and arrays are read."""
    if value is None or type(value) is int:
        return value
    if isinstance(value, TensorShape):
        return tuple(value.as_list())
    if isinstance(value, (list, tuple)):
        return tuple(map(integers, value))
    if isinstance(value, range):
        return tuple(value)
    array = np.asarray(value)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError("integers are expected")
    return int(array) if array.ndim == 0 else integers(array.tolist())


def shape(value: Any) -> tuple[int, ...] | None:
    """A static shape as a tuple."""
    found = integers(value)
    return (found,) if isinstance(found, int) else found


def _string(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError("a string is expected")
    return value


_STATIC: dict[str, Callable[[Any], Any]] = {
    "int": integer,
    "bool": lambda value: None if value is None else bool(value),
    "str": _string,
    "Axes": integers,
    "Ints": integers,
    "Shape": shape,
    "Dtype": lambda value: None if value is None else as_dtype(value),
}
