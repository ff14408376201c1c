"""Calls of declared ops: converts the arguments to operands and attributes, then records the op.

The spelling of a call consists of its dtypes, its attributes and the places of its numbers. The op and the order of the
operands are cached for each spelling, so that later calls skip the conversion.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, repeat
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.calls.convert import as_tensor
from tfcompat._core.calls.declaration import Check, Declaration
from tfcompat._core.calls.dispatch import handler_of
from tfcompat._core.calls.operand import number, operands
from tfcompat._core.calls.spelling import ARRAY, ARRAYS, NUMBER, STATIC, is_variable, spell
from tfcompat._core.calls.static import freeze
from tfcompat._core.calls.text import is_text, on_host
from tfcompat._core.operation.op import Op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.system.location import is_raised_by_handler
from tfcompat._core.tracing.constancy import ORDERS
from tfcompat._core.tracing.deferral import is_computed
from tfcompat._core.tracing.trace import here, record
from tfcompat._core.types.dtype import INTEGER, DType
from tfcompat._jaxpr.comparison import note_order
from tfcompat._jaxpr.size import has_symbols

_MOST_SPELLINGS = 4096
# Messages show values of up to this many elements.
_MOST_SHOWN = 8


class Known(NamedTuple):
    """The cached op of a spelling, and its inputs: the places of operands in the call, or numbers."""

    op: Op
    inputs: tuple[int | float, ...] | None
    casts: tuple[int, ...]


class Call:
    """The callable part of a declared op.

    `known` has the cached op of each spelling; `plain` has, by dtype, the ops of calls whose only arguments are one or
    two tensors, or a tensor and a Python float.
    """

    def __init__(
        self, declared: Declaration, names: Sequence[str], defaults: Mapping[str, Any], plain: dict[Any, Op]
    ) -> None:
        self.declared = declared
        self.names = names
        self.accepted = {*names, "name"}
        self.defaults = defaults
        self.roles = {name: _role(declared, name) for name in names}
        self.order = tuple(self.roles[name] for name in names)
        self.checked = frozenset(declared.check.reads if declared.check else ())
        self.known: dict[Any, Known] = {}
        self.plain = plain

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Records the op for these arguments."""
        found: list[Any] = []
        try:
            spelling = self._spelling(args, kwargs, found)
            known = self.known.get(spelling) if spelling is not None else None
            if known is None:
                return self._record_new(args, kwargs, spelling, found)
        except Exception as refusal:
            handler = None if is_raised_by_handler(refusal) else handler_of(self.declared.public, args, kwargs)
            if handler is None:
                raise
            return handler(*args, **kwargs)
        if known.inputs is None:
            answer = record(known.op, tuple(found))
        else:
            for place in known.casts:
                found[place] = float(found[place])
            answer = record(known.op, tuple([found[i] if type(i) is int else i for i in known.inputs]))
        structure = self.declared.structure
        return answer if structure is None else structure(answer)

    def _spelling(self, args: tuple[Any, ...], kwargs: dict[str, Any], found: list[Any]) -> Any:
        """The spelling of the call; None if the call can't be cached. Appends the operands to `found`."""
        key: list[Any] = []
        if len(args) > len(self.order):
            args = args[: len(self.order)]
        for role, value in zip(self.order, args, strict=False):
            if type(value) is Tensor and role == ARRAY:
                key.append(value._aval.dtype)
                found.append(value)
            elif not spell(role, value, key, found):
                return None
        for name, value in kwargs.items():
            if name == "name":
                continue
            role = self.roles.get(name)
            key.append(name)
            if role is None or not spell(role, value, key, found):
                return None
        if self.declared.fold is not None and (not found or _is_foldable(found[0])) and all(map(_is_foldable, found)):
            return None
        if self.checked and any(type(v) is Tensor and is_computed(v) for v in self._read(args, kwargs)):
            return None
        return tuple(key)

    def _read(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[Any]:
        """The arguments whose values are checked."""
        for name, value in (*zip(self.names, args, strict=False), *kwargs.items()):
            if name in self.checked:
                yield value

    def _record_new(self, args: tuple[Any, ...], kwargs: dict[str, Any], spelling: Any, found: list[Any]) -> Any:
        """As `_record_uncached`, with the operands in place of the variables of libraries among the arguments."""
        if any(map(is_variable, args)) or any(map(is_variable, kwargs.values())):
            args, kwargs = self._converted(args, kwargs, found)
            found = []
            spelling = self._spelling(args, kwargs, found)
        return self._record_uncached(args, kwargs, spelling, found)

    def _converted(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], found: list[Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with tensors for variables of libraries: the operands `found` by `_spelling`.

        Under a tape each conversion records a step, so the first call of an op would differ from later ones.
        """
        operands = iter(found)

        def converted(role: int | None, value: Any) -> Any:
            size = 0 if role in (None, STATIC) else len(value) if role == ARRAYS and type(value) in (list, tuple) else 1
            known = list(islice(operands, size))
            if not is_variable(value):
                return value
            return known[0] if known else as_tensor(value)

        roles = (*self.order, *repeat(None, len(args) - len(self.order)))
        made = tuple(map(converted, roles, args))
        return made, {name: converted(self.roles.get(name), value) for name, value in kwargs.items()}

    def _record_uncached(self, args: tuple[Any, ...], kwargs: dict[str, Any], spelling: Any, found: list[Any]) -> Any:
        declared = self.declared
        values = self._arguments(args, kwargs)
        given = operands(declared, values)
        attributes = tuple(freeze(declared.name, key, static, values[key]) for key, static in declared.static.items())
        count = len(given) - len(declared.arrays) + 1
        if any(map(is_text, given)):
            return self._on_host(given, attributes, count)
        if declared.fold is not None and all(map(_is_foldable, given)):
            try:
                return _folded(declared, given, attributes)
            except InvalidArgumentError:
                # The function that is traced may never run this op, so its program reports the error instead.
                if not here.trace.is_symbolic:
                    raise
        is_checked = declared.check is not None and not _passes_on_host(declared, declared.check, given, attributes)
        given += [number(declared.name, key, values[key]) for key in declared.numbers]
        op = declared.bind(attributes, count, is_checked)
        if spelling is not None and is_checked == bool(self.checked):
            self._remember(spelling, op, given, found, self._operand_names(args, kwargs))
        answer = record(op, tuple(given))
        return answer if declared.structure is None else declared.structure(answer)

    def _on_host(self, given: list[Any], attributes: tuple[Any, ...], count: int) -> Any:
        """The results for operands that contain strings, computed on the host."""
        declared = self.declared

        def require(operands: list[Tensor]) -> None:
            if declared.check is not None:
                _passes_on_host(declared, declared.check, operands, attributes)

        answers = on_host(declared, given, attributes, count, require)
        return answers[0] if declared.structure is None else declared.structure(answers)

    def _remember(self, spelling: Any, op: Op, given: list[Any], found: list[Any], names: list[str]) -> None:
        """Caches `op` for `spelling`, if each of its inputs is an operand of the call or a default.

        `names` are the parameters of the operands in `found`.
        """
        inputs: list[int | float] = []
        casts: list[int] = []
        places = [place for key in (*self.declared.arrays, *self.declared.numbers) for place in _places(key, names)]
        if len(places) != len(given):
            return
        for operand, place in zip(given, places, strict=True):
            if place is None:
                if type(operand) is not float:
                    return
            elif type(operand) is float and type(found[place]) is int:
                casts.append(place)
            elif found[place] is not operand:
                return
            inputs.append(operand if place is None else place)
        if len(self.known) >= _MOST_SPELLINGS:
            self.known.clear()
        is_plain = not casts and inputs == list(range(len(found))) and all(type(i) is int for i in inputs)
        self.known[spelling] = Known(op, None if is_plain else tuple(inputs), tuple(casts))
        if is_plain and self._is_short(spelling):
            self.plain[spelling if len(spelling) == 2 else spelling[0]] = op

    def _is_short(self, spelling: Any) -> bool:
        """Whether `plain` has such calls: the op needs no check, folding or restructuring, and computes one tensor."""
        declared = self.declared
        if len(spelling) > 2 or not all(type(part) is DType for part in spelling[:1]):
            return False
        if len(spelling) == 2 and type(spelling[1]) is not DType and spelling[1] is not float:
            return False
        may_fold = declared.fold is not None and not INTEGER.isdisjoint(spelling)
        return declared.structure is None and declared.check is None and not may_fold

    def _operand_names(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
        """The parameter of each operand of a call, in the order of the spelling."""
        names: list[str] = []
        for name, value in (*zip(self.names, args, strict=False), *kwargs.items()):
            role = self.roles.get(name, STATIC)
            if role != STATIC:
                names += [name] * (len(value) if role == ARRAYS and isinstance(value, (list, tuple)) else 1)
        return names

    def _arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments by parameter name. Raises TypeError as a Python call would."""
        name = self.declared.name
        if len(args) > len(self.names) + 1:
            raise TypeError(f"tf.{name}: takes at most {len(self.names) + 1} arguments, got {len(args)}.")
        values = dict(zip((*self.names, "name"), args, strict=False))
        for key, value in kwargs.items():
            if key not in self.accepted or key in values:
                problem = "got multiple values for" if key in values else "got an unexpected keyword"
                raise TypeError(f"tf.{name}: {problem} argument {key!r}.")
            values[key] = value
        for key in self.names:
            if key not in values:
                if key not in self.defaults:
                    raise TypeError(f"tf.{name}: missing the required argument {key!r}.")
                values[key] = self.defaults[key]
        return values


def _role(declared: Declaration, name: str) -> int:
    if name == declared.variadic:
        return ARRAYS
    if name in declared.arrays:
        return ARRAY
    return NUMBER if name in declared.numbers else STATIC


def _places(key: str, names: list[str]) -> list[int | None]:
    """The places of the operands of the parameter `key`; [None] if it has its default."""
    found: list[int | None] = [place for place, name in enumerate(names) if name == key]
    return found or [None]


def _is_foldable(operand: Any) -> bool:
    return type(operand) is int or (
        type(operand) is Tensor and operand._aval.is_small_integer and type(operand._array) is np.ndarray
    )


def _folded(declared: Declaration, operands: list[Any], attributes: tuple[Any, ...]) -> Tensor:
    dtype = next((o._aval.struct.dtype for o in operands if type(o) is Tensor), np.int32)
    arrays = [o._array if type(o) is Tensor else np.asarray(o).astype(dtype) for o in operands]
    assert declared.fold is not None
    if declared.name in ORDERS and any(array.dtype == object for array in arrays):
        note_order(*arrays)
    try:
        return Tensor(np.asarray(declared.fold(*arrays, **dict(zip(declared.static, attributes, strict=True)))))
    except ValueError as refused:
        shapes = " and ".join(str(array.shape) for array in arrays)
        raise InvalidArgumentError.of(f"tf.{declared.name}: {refused} Got shapes {shapes}.") from refused


def _passes_on_host(declared: Declaration, check: Check, operands: list[Any], attributes: tuple[Any, ...]) -> bool:
    """Whether the values that `check` reads are known and good, whatever open sizes are.

    Raises InvalidArgumentError if they are known and bad, unless a function is being traced, which may never run the
    op.
    """
    named = dict(zip(declared.arrays, operands, strict=False))
    if any(type(named[key]) is Tensor and not is_computed(named[key]) for key in check.reads):
        return False
    if has_symbols(attributes):
        return False
    arguments: dict[str, Any] = {}
    for key, operand in named.items():
        if type(operand) is Tensor and has_symbols(operand._aval.shape):
            return False
        if type(operand) is Tensor:
            arguments[key] = np.asarray(operand._array) if key in check.reads else operand._aval
        else:
            arguments[key] = operand
    try:
        bad = np.asarray(check.flag(**arguments, **dict(zip(declared.static, attributes, strict=True))))
    except (ValueError, IndexError):
        # The shapes don't fit: inference raises TensorFlow's error.
        return False
    if bad.any():
        if here.trace.is_symbolic:
            return False
        place = tuple(np.argwhere(bad)[0].tolist())
        found = _first_bad_value(check, arguments, bad.shape, place)
        raise InvalidArgumentError.of(f"tf.{declared.name}: {check.message}{found}.")
    return True


def _first_bad_value(check: Check, arguments: dict[str, Any], shape: tuple[int, ...], place: tuple[int, ...]) -> str:
    """A description of the first value that fails `check`: that at `place` of the flags, which have this `shape`."""
    shapes = [f"{key} of shape {value.shape}" for key, value in arguments.items() if hasattr(value, "struct")]
    given = f" for {' and '.join(shapes)}" if shapes else ""
    for key in check.reads:
        values = np.asarray(arguments[key])
        if values.shape[: len(place)] == shape and values[place].size <= _MOST_SHOWN:
            index = list(place) if place else ""
            return f", got {key}{index} = {values[place].tolist()}{given}"
    return f", first at position {list(place)}{given}"
