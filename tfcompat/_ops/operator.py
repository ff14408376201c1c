"""Python's operators on tensors and variables.

A binary operator on tensors of one dtype, or on a tensor and a Python float, is the most frequent operation in loops:
it calls the recorder directly.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from tfcompat._core.calls.by_row import element_trace, hosting_trace
from tfcompat._core.calls.by_trial import or_by_host
from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import registry
from tfcompat._core.calls.dispatch import dispatched, shown_as
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import wrong_dtype
from tfcompat._core.system.location import is_raised_by_handler
from tfcompat._core.tracing.trace import record, record_beside, record_pair
from tfcompat._core.types.aval import OpenAval
from tfcompat._core.types.dtype import FLOATING, INTEGER, bool_, int32, string
from tfcompat._ops.array.indexing import getitem as part_of
from tfcompat._ops.elementwise import algebraic, bitwise, comparison
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.elementwise.row import by_first
from tfcompat._ops.equality import eq, is_foreign, ne
from tfcompat._ops.linalg import contraction


def _product(multiply: Callable[..., Any]) -> Callable[..., Any]:
    """TensorFlow's `*`: with a boolean tensor it means `and`."""

    def operate(x: Any, y: Any) -> Any:
        if not any(type(operand) is Tensor and operand.dtype is bool_ for operand in (x, y)):
            return multiply(x, y)
        return comparison.logical_and(_truth(x if type(x) is Tensor else convert_to_tensor(x, bool_)), _truth(y))

    return operate


def _truth(operand: Any) -> Tensor:
    """Whether `operand`, truncated to an integer, is not 0; so 0.5 counts as 0."""
    tensor = convert_to_tensor(operand)
    return tensor if tensor.dtype is bool_ else comparison.not_equal(cast(tensor, int32), 0)


def _division(x: Any, y: Any) -> Any:
    """The `/` of Python 2: for integers it is `//`."""
    left = as_tensor(x)
    tensor = convert_to_tensor(y) if left is None else left
    return (algebraic.floordiv if tensor.dtype.is_integer else algebraic.truediv)(x, y)


@dispatched
def add(x: Any, y: Any, name: str | None = None) -> Any:
    """`x + y`, under a name that libraries record.

    Source: TF 2.21 `tf.__operators__.add`.
    """
    return shown_as(add, algebraic.add, (x, y), {"name": name})


@dispatched
def getitem(tensor: Any, slice_spec: Any, var: Any = None) -> Any:
    """`tensor[slice_spec]`, under a name that libraries record.

    Source: TF 2.21 `tf.__operators__.getitem`.
    """
    return part_of(tensor if var is None else var, slice_spec)


def _item(self: Any, key: Any) -> Any:
    if type(self) is not Tensor:
        return getitem(self, key)
    if isinstance(self._aval, OpenAval) and element_trace() is not None:
        parts = key if type(key) is tuple else (key,)
        bounds = [[part.start, part.stop, part.step] if isinstance(part, slice) else [part] for part in parts]
        return or_by_host(_part_within, (self, *bounds), {})
    return part_of(self, key)


def _part_within(tensor: Any, *bounds: list[Any]) -> Any:
    """The part of `tensor` whose key has, for each slice, a list of its three `bounds`, and lists of other parts."""
    return part_of(tensor, tuple([slice(*each) if len(each) > 1 else each[0] for each in bounds]))


multiply = _product(algebraic.multiply)
_ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": add,
    "sub": algebraic.subtract,
    "mul": multiply,
    "truediv": algebraic.truediv,
    "div": _division,
    "floordiv": algebraic.floordiv,
    "mod": algebraic.floormod,
    "pow": algebraic.pow,
    "matmul": by_first(contraction.matmul, wrong_dtype),
    "and": bitwise.and_,
    "or": bitwise.or_,
    "xor": bitwise.xor,
}
_COMPARISON: dict[str, Callable[..., Any]] = {
    "lt": comparison.less,
    "le": comparison.less_equal,
    "gt": comparison.greater,
    "ge": comparison.greater_equal,
}
# Functions of the public op that reflected operators call instead of it.
_OF_REFLECTED: dict[str, Callable[[Any], Any]] = {
    "add": lambda public: lambda x, y: shown_as(add, public, (x, y), {}),
    "multiply": _product,
}
_FAST = {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "truediv"}


def or_reflected(public: Callable[..., Any], mirror: str = "") -> Callable[[Any, Any], Any]:
    """The operator; for operands that it rejects, it tries the operand's reflected operator `mirror`."""

    def operate(self: Tensor, other: Any) -> Any:
        if is_foreign(other):
            return NotImplemented
        try:
            return public(self, other)
        except (TypeError, ValueError):
            if type(other) is not Tensor and hasattr(other, mirror):
                with contextlib.suppress(TypeError, ValueError):
                    answer = getattr(other, mirror)(self)
                    if answer is not NotImplemented:
                        return answer
            raise

    return operate


def _reflected(public: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    def operate(self: Tensor, other: Any) -> Any:
        return public(_beside(other, self), self)

    return operate


def _beside(other: Any, tensor: Tensor) -> Any:
    """The left operand `other`, converted so that its own dtype does not decide the result's."""
    is_number = isinstance(other, (int, float, complex))
    # Libraries that give the operators of tensors to classes of their own convert numbers without regard to `tensor`.
    by_library = type(tensor) is not Tensor and not hasattr(type(tensor), "_as_tensor")
    is_list = isinstance(other, (list, tuple)) and type(tensor) is not Tensor
    is_array = isinstance(other, (np.ndarray, np.generic)) and as_tensor(other) is None
    if is_list or is_array or (is_number and by_library):
        return convert_to_tensor(other, tensor.dtype)
    return other


def _fast(
    name: str, public: Callable[..., Any], mirror: str
) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """The operator and its reflected form, with a fast path to the recorder."""
    declared = registry[name]
    op = declared.bind((), 1, False)
    commutes = name in ("add", "multiply")
    short = frozenset(declared.dtypes["x"]) - INTEGER - {string}
    slow = or_reflected(public, mirror)
    slow_reflected = _reflected(_OF_REFLECTED[name](declared.public) if name in _OF_REFLECTED else declared.public)

    def operate(self: Tensor, other: Any) -> Any:
        kind = type(other)
        try:
            dtype = self._aval.dtype
            if kind is Tensor:
                if other._aval.dtype is dtype and dtype in short:
                    return record_pair(op, self, other)
            elif kind is float or kind is int:
                if dtype in FLOATING:
                    return record_beside(op, self, float(other))
            elif hasattr(kind, "_as_tensor"):
                return operate(self, other._as_tensor())
        except Exception as refusal:
            # In functions of elements, and where only shapes are inferred, the public function takes more than the
            # recorder; and libraries give the operators of tensors to classes of their own.
            if (hosting_trace() is None and type(self) is Tensor) or is_raised_by_handler(refusal):
                raise
        return slow(self, other)

    def reflected(self: Tensor, other: Any) -> Any:
        try:
            if type(other) is float and self._aval.dtype in FLOATING:
                return record_beside(op, self, other) if commutes else record(op, (other, self))
        except Exception as refusal:
            if (hosting_trace() is None and type(self) is Tensor) or is_raised_by_handler(refusal):
                raise
        return slow_reflected(self, other)

    return operate, reflected


def _operators() -> dict[str, Callable[..., Any]]:
    """All operator methods of a tensor, by name."""
    methods: dict[str, Callable[..., Any]] = {}
    for name, public in _ARITHMETIC.items():
        mirror = f"__r{name}__"
        pair = (
            _fast(_FAST[name], public, mirror) if name in _FAST else (or_reflected(public, mirror), _reflected(public))
        )
        methods[f"__{name}__"], methods[mirror] = pair
    methods |= {f"__{name}__": or_reflected(public) for name, public in _COMPARISON.items()}
    methods |= {
        "__eq__": eq,
        "__ne__": ne,
        "__neg__": lambda self: algebraic.negative(self),
        "__abs__": lambda self: algebraic.abs(self),
        "__invert__": bitwise.not_,
        "__getitem__": _item,
    }
    return methods


def attach(kind: type, through: Callable[[Any], Tensor] | None = None) -> None:
    """Attaches a tensor's operators to `kind`. If `kind` is not a tensor class, `through` reads the tensor it holds."""
    for name, method in _operators().items():
        setattr(kind, name, method if through is None else _through(method, through))


def attach_missing(kind: type, through: Callable[[Any], Tensor]) -> None:
    """Attaches the operators that the class `kind` does not define itself; `through` reads the tensor it holds."""
    for name, method in _operators().items():
        if name not in vars(kind):
            setattr(kind, name, _through(method, through))


def _through(method: Callable[..., Any], read: Callable[[Any], Tensor]) -> Callable[..., Any]:
    def operate(self: Any, *other: Any) -> Any:
        return method(read(self), *other)

    return operate


def _round(self: Tensor, ndigits: Any = None) -> NoReturn:
    """Raises AttributeError: TensorFlow's `round` uses an attribute that tensors have only with NumPy behaviour."""
    del self, ndigits
    raise AttributeError(
        "Tensor object has no attribute 'astype', so round() is not defined; use tf.round, or call "
        "tf.experimental.numpy.experimental_enable_numpy_behavior() first."
    )


def _attach_attributes() -> None:
    """Gives tensors TensorFlow's attributes about operators, and the older names."""
    attributes: dict[str, Any] = {
        "OVERLOADABLE_OPERATORS": set(_operators()),
        "__nonzero__": Tensor.__bool__,
        "__round__": _round,
        "_numpy": Tensor.numpy,
    }
    for name, value in attributes.items():
        setattr(Tensor, name, value)


attach(Tensor)
_attach_attributes()
