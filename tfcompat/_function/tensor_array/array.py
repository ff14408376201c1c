"""`tf.TensorArray`: a list of tensors that are written and read one at a time.

Outside of functions an array is a list, and a write modifies it. In a function a write returns a new array. While the
function is traced, that is a list as long as the positions are known, otherwise one tensor with a row for each element.
Loops carry that tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn, Self

import jax
import jax.numpy as jnp

from tfcompat._core.calls.by_row import element_trace
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.operation.op import GradientRule, Op, ValueCheck, Window
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, OutOfRangeError, UntraceableError, found_early
from tfcompat._core.tracing.constancy import size_value
from tfcompat._core.tracing.sizes import sizes_tensor
from tfcompat._core.tracing.trace import here, record
from tfcompat._core.types.aval import aval_of, fits
from tfcompat._core.types.dtype import DType, as_dtype, int32, int64
from tfcompat._core.types.shape import TensorShape
from tfcompat._function.graphs.graph import is_symbolic
from tfcompat._function.tensor_array import hosted
from tfcompat._function.tensor_array.unshaped import Unshaped
from tfcompat._jaxpr.size import is_open
from tfcompat._ops.array.creation import zeros
from tfcompat._ops.array.gathering import gather as gather_rows
from tfcompat._ops.array.joining import concat as concat_tensors
from tfcompat._ops.array.joining import split as split_tensor
from tfcompat._ops.array.joining import stack as stack_tensors
from tfcompat._ops.array.joining import unstack as unstack_tensor
from tfcompat._ops.array.known import known
from tfcompat._ops.array.layout import reshape
from tfcompat._ops.elementwise.algebraic import add, maximum
from tfcompat._ops.elementwise.rounding import cast


def row_at(rows: Any, index: Any) -> Any:
    """Row number `index` of `rows`. Without rows, zeros: they are only traced, in an iteration that never runs."""
    if rows.shape[0] == 0:
        return jnp.zeros(rows.shape[1:], rows.dtype)
    return jax.lax.dynamic_index_in_dim(rows, index, keepdims=False)


def _written_at(rows: Any, index: Any, value: Any) -> Any:
    """`rows` with `value` as number `index`; unchanged without rows: they are only traced, too."""
    if rows.shape[0] == 0:
        return rows
    return jax.lax.dynamic_update_index_in_dim(rows, value, index, 0)


def _outside(rows: Any, index: Any, *_: Any) -> Any:
    return (index < 0) | (index >= rows.shape[0])


_OUT_OF_RANGE = "the index must be in [0, n) for an array of n elements"
READ = Op("TensorArray.read", row_at, check=ValueCheck(_outside, _OUT_OF_RANGE), windows={1: Window(0, None, 0)})
WRITE = Op(
    "TensorArray.write",
    _written_at,
    check=ValueCheck(_outside, _OUT_OF_RANGE),
    gradient=GradientRule(reads=False),
)


class Room:
    """The room in an array that a loop carries, which is enlarged before the loop.

    Attributes:
      writes: at how many places the body writes elements whose positions are not known.
      is_enough: whether one element for each of these places and iterations is enough.
    """

    def __init__(self) -> None:
        self.writes = 0
        self.is_enough = True


class TensorArray:
    """An array of `size` tensors of one dtype, which grows with writes if it has a `dynamic_size`.

    Outside of functions, reading an element clears it unless `clear_after_read` is False. If `infer_shape`, all
    elements have the same shape.

    Raises: ValueError without `size`; NotImplementedError for a `handle` or a `flow`, which tfcompat doesn't have.
    Source: TF 2.21 `tf.TensorArray`.
    """

    _is_composite = False

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        del tensor_array_name, colocate_with_first_write_call, name
        if handle is not None or flow is not None:
            raise NotImplementedError("tf.TensorArray: handles and flows are not supported; give `size`.")
        if size is None:
            raise ValueError("Size must be declared for TensorArrays when eager execution is enabled.")
        self._dtype = as_dtype(dtype)
        self._is_dynamic = dynamic_size or False
        self._clears = True if clear_after_read is None else clear_after_read
        self._infers = infer_shape
        self._element_shape = TensorShape(element_shape)
        count = _known_size(size)
        self._items: list[Tensor | None] = [None] * (0 if is_open(count) else count)
        self._cleared: set[Any] = set()
        # In a function the array may be one tensor, with more rows than elements if its size is dynamic.
        self._rows: Tensor | Unshaped | None = None
        # The number of elements in such rows, and the least number that it can be.
        self._length: Tensor | None = None
        self._least = 0
        self.room: Room | None = None
        # Whether a loop that the host runs carries it, or has carried it (see `hosted.py`).
        self.is_hosted = False
        if is_open(count):
            self._rows = self._open_rows(count)

    def _open_rows(self, count: Any) -> Tensor | Unshaped:
        """The rows of an array whose size has symbols. Raises UntraceableError if a function's is dynamic as well."""
        if element_trace() is not None:
            # No call could be traced again for its sizes. Most loops write the elements announced by the size.
            self._is_dynamic = False
        if self._is_dynamic:
            raise UntraceableError("tf.TensorArray: a dynamic size that begins with an open one is not traced.")
        if self._element_shape.is_fully_defined():
            return zeros([count, *self._element_shape.as_list()], self._dtype)
        return Unshaped(count, self._dtype)

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._dtype

    @property
    def flow(self) -> Any:
        """A placeholder for the tensor by which TensorFlow orders operations."""
        return None if here.trace.is_symbolic else convert_to_tensor(0.0)

    @property
    def handle(self) -> None:
        """None."""
        return None

    @property
    def element_shape(self) -> TensorShape:
        """The shape of the elements; unknown dimensions are None."""
        if type(self._rows) is Tensor:
            return self._rows.shape[1:]
        return self._element_shape

    @property
    def dynamic_size(self) -> bool:
        """Whether the array grows if an element beyond its end is written."""
        return self._is_dynamic

    @property
    def capacity(self) -> Any:
        """The number of elements that have a place: a Python number, or a size with symbols."""
        return len(self._items) if self._rows is None else _height(self._rows)

    def size(self, name: str | None = None) -> Tensor:
        """The number of elements."""
        del name
        return sizes_tensor(self.capacity, int32) if self._length is None else self._length

    def identity(self) -> Self:
        """The array itself outside of functions, otherwise a copy."""
        return self._copy() if here.trace.is_symbolic else self

    def grad(self, source: Any, flow: Any = None, name: str | None = None) -> NoReturn:
        """Raises NotImplementedError, as in TensorFlow."""
        del source, flow, name
        raise NotImplementedError("tf.TensorArray.grad is not supported; use tf.GradientTape.")

    def close(self, name: str | None = None) -> None:
        """Deletes the elements, outside of functions."""
        del name
        if not here.trace.is_symbolic:
            self._items = []

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """The element number `index`.

        Raises: OutOfRangeError for an index out of range; InvalidArgumentError if the element was cleared.
        """
        del name
        place = _place(index)
        if self.is_hosted:
            return hosted.element(self._as_rows(), convert_to_tensor(place, int32))
        if not self._is_listed(place):
            return record(READ, (self._as_rows(), convert_to_tensor(place, int32)))
        self._require_place(place, "read", "from")
        found = self._items[place]
        if found is None:
            if place in self._cleared:
                raise InvalidArgumentError.of(
                    f"Could not read index {place} twice because it was cleared after a previous read (perhaps try "
                    "setting clear_after_read = false?)"
                )
            found = self._zero()
        if self._clears and not _is_in_function():
            self._items[place] = None
            self._cleared.add(place)
        return found

    def write(self, index: Any, value: Any, name: str | None = None) -> Self:
        """The array with `value` as element number `index`.

        Raises: OutOfRangeError for an index out of range; InvalidArgumentError for another dtype; ValueError for
          another shape.
        """
        del name
        place = _place(index)
        tensor = convert_to_tensor(value, dtype_hint=self._dtype)
        if tensor.dtype is not self._dtype:
            raise found_early(
                f"TensorArray dtype is {self._dtype.name} but Op is trying to write dtype {tensor.dtype.name} "
            )
        if self._is_listed(place) or (type(place) is int and self._is_dynamic and self._rows is None):
            return self._written(place, tensor)
        self._require_shape(tensor)
        dims = tensor._aval.shape
        if self.is_hosted:
            at = convert_to_tensor(place, int32)
            return self._with_rows(hosted.written(self._as_rows(dims), at, tensor, is_dynamic=self._is_dynamic))
        if self.room is not None and type(place) is not int:
            self.room.writes += 1
        rows = self._as_rows(dims)
        if self.grows and type(place) is int and place >= self.capacity:
            rows = self._shaped(self._enlarged(place + 1), dims)
        written = self._with_rows(record(WRITE, (rows, convert_to_tensor(place, int32), tensor)))
        if self._length is not None:
            written._length = maximum(self._length, add(convert_to_tensor(place, int32), 1))
        return written

    def _with_rows(self, rows: Tensor | Unshaped) -> Self:
        found = self._copy()
        found._items, found._rows = [], rows
        return found

    def _written(self, place: Any, tensor: Tensor) -> Self:
        written = self._copy() if _is_in_function() else self
        if self._is_dynamic and place >= len(written._items):
            written._items += [None] * (place + 1 - len(written._items))
        written._require_place(place, "write", "to")
        self._require_shape(tensor)
        if self._infers:
            written._element_shape = tensor.shape
        written._items[place] = tensor
        return written

    def _is_listed(self, place: Any) -> bool:
        """Whether `place` is an index of the list. In a function, other indices are checked when it is called."""
        if self._rows is not None or type(place) is Tensor:
            return False
        return not here.trace.is_symbolic or 0 <= place < len(self._items)

    def _require_place(self, place: Any, verb: str, preposition: str) -> None:
        size = len(self._items)
        if place < 0:
            doing = "Reading from" if verb == "read" else "Writing to"
            raise OutOfRangeError.of(f"{doing} negative indices (index {place}) is not allowed.")
        if place >= size:
            what = "array size is:" if verb == "read" else "array is not resizeable and size is:"
            raise OutOfRangeError.of(f"Tried to {verb} {preposition} index {place} but {what} {size} ")

    def _require_shape(self, tensor: Tensor) -> None:
        expected = self.element_shape
        if not fits(tensor._aval, expected):
            if here.trace.is_symbolic:
                raise ValueError(f"Inconsistent shapes: saw {tensor._aval.shape} but expected {_text(expected)} ")
            raise ValueError(f"Incompatible shape for value ({tensor._aval.shape}), expected ({_text(expected)})")

    def stack(self, name: str | None = None) -> Tensor:
        """The elements as the rows of one tensor; zeros for those that were not written."""
        del name
        if self._rows is not None and self._length is not None:
            what = "tf.TensorArray.stack: the number of elements, without a `size`,"
            return here.graph.first_rows([self._shaped_rows()], cast(self._length, int64), what, self._least)[0]
        if self._rows is not None:
            return self._shaped_rows()
        if not self._items:
            dims = self._element_shape.as_list() if self._element_shape.is_fully_defined() else []
            return zeros([0, *dims], self._dtype)
        return stack_tensors(self._all())

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """The elements at `indices`, as the rows of one tensor."""
        del name
        places = convert_to_tensor(indices)
        if self._rows is not None or is_symbolic(places):
            return gather_rows(self._as_rows(), places)
        return stack_tensors([self._zero() if (x := self._items[k]) is None else x for k in places.numpy().tolist()])

    def concat(self, name: str | None = None) -> Tensor:
        """The elements one after another along their first axis."""
        del name
        if self._rows is not None:
            rows = self.stack()
            count, height, *dims = rows._aval.shape
            return reshape(rows, [count * height, *dims])
        if _is_in_function() and not self._items and self._element_shape.is_fully_defined():
            return zeros([0, *self._element_shape.as_list()[1:]], self._dtype)
        try:
            return concat_tensors(self._all(), 0)
        except InvalidArgumentError as error:
            raise found_early(error.message) from None

    def unstack(self, value: Any, name: str | None = None) -> Self:
        """The array with the rows of `value` as its elements.

        Raises: ValueError for a scalar, or if there are more rows than elements and the size is not dynamic.
        """
        del name
        tensor = convert_to_tensor(value, dtype_hint=self._dtype)
        if tensor.ndim == 0:
            message = "tf.TensorArray.unstack: Argument `axis` = 0 not in range [0, 0), got a scalar."
            raise found_early(message) if here.trace.is_symbolic else ValueError(message)
        count = tensor._aval.shape[0]
        if here.trace.is_symbolic:
            if not fits(aval_of(tensor._aval.shape[1:], tensor.dtype), self._element_shape):
                raise ValueError(
                    f"Inconsistent shapes: saw {tensor._aval.shape[1:]} but expected {_text(self._element_shape)} "
                )
            found = self._copy()
            found._items, found._rows, found._length = [], tensor, None
            return found
        if count > len(self._items) and not self._is_dynamic:
            raise ValueError(f"Cannot unstack {count} tensors into a TensorArray of static size {len(self._items)} ")
        self._items = list(unstack_tensor(tensor))
        return self

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> Self:
        """The array with the rows of `value` as its elements at `indices`."""
        del name
        tensor = convert_to_tensor(value, dtype_hint=self._dtype)
        found = self
        for place, row in zip(unstack_tensor(convert_to_tensor(indices)), unstack_tensor(tensor), strict=False):
            found = found.write(place, row)
        return found

    def split(self, value: Any, lengths: Any, name: str | None = None) -> Self:
        """The array with pieces of `value` of the given `lengths` as its elements.

        Raises: InvalidArgumentError for a scalar, if the sum of the lengths is not the number of rows, or, outside of
          functions, if another number of elements is given and the size is not dynamic.
        """
        del name
        tensor = convert_to_tensor(value, dtype_hint=self._dtype)
        if tensor.ndim == 0:
            raise InvalidArgumentError.of("Expected value to be at least a vector, but received shape: []")
        counts = [int(count) for count in convert_to_tensor(lengths).numpy()]
        if sum(counts) != tensor._aval.shape[0]:
            raise InvalidArgumentError.of(
                "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
                f"{sum(counts)} and value's shape is: {list(tensor._aval.shape)} "
            )
        pieces: list[Tensor | None] = list(split_tensor(tensor, counts))
        if here.trace.is_symbolic:
            found = self._copy()
            found._rows = found._length = None
            found._items = pieces + [None] * (len(self._items) - len(pieces))
            return found
        if len(pieces) != len(self._items) and not self._is_dynamic:
            raise InvalidArgumentError.of(
                f"TensorArray's size is not equal to the size of lengths ({len(self._items)} vs. {len(pieces)}), and "
                "the TensorArray is not marked as dynamically resizeable."
            )
        self._items = pieces
        return self

    def _copy(self) -> Self:
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy._items, copy._cleared = list(self._items), set(self._cleared)
        return copy

    def _zero(self) -> Tensor:
        if not self._element_shape.is_fully_defined():
            message = f"Cannot convert a partially known TensorShape {self._element_shape} to a Tensor."
            raise found_early(message) if here.trace.is_symbolic else ValueError(message)
        return zeros(self._element_shape.as_list(), self._dtype)

    def _all(self) -> list[Tensor]:
        return [self._zero() if item is None else item for item in self._items]

    def _as_rows(self, dims: Sequence[int] | None = None) -> Tensor:
        """The array as one tensor. `dims` is the shape of the rows if it is not known otherwise."""
        if self._rows is not None:
            return self._shaped_rows(dims)
        known = self._element_shape.as_list() if self._element_shape.is_fully_defined() else dims
        if all(item is None for item in self._items):
            if known is None:
                raise ValueError("tf.TensorArray: nothing was written yet, and `element_shape` is not given.")
            return zeros([len(self._items), *known], self._dtype)
        return stack_tensors(self._all())

    def _shaped_rows(self, dims: Sequence[int] | None = None) -> Tensor:
        return self._shaped(self._rows, dims)

    def _shaped(self, rows: Tensor | Unshaped | None, dims: Sequence[int] | None) -> Tensor:
        if type(rows) is Unshaped:
            if dims is None and rows.tensor is None:
                raise ValueError("tf.TensorArray: nothing was written yet, and `element_shape` is not given.")
            return rows.resolve(tuple(dims or ()), here.trace)
        assert type(rows) is Tensor
        return rows

    @property
    def grows(self) -> bool:
        """Whether a loop that carries the array must enlarge it before writing into it."""
        return self._is_dynamic and self.room is None

    def with_room(self, count: int) -> Self:
        """A copy of this array of dynamic size for a loop to carry, with room for `count` more elements."""
        grown = self._copy()
        if self._length is None and not is_open(self.capacity):
            grown._least = self.capacity
        grown._length = self.size()
        grown._items += [None] * count
        grown._rows = grown._flattened()
        if count and self._rows is not None:
            grown._rows = self._enlarged(self.capacity + count)
        grown._items = []
        grown.room = Room()
        return grown

    def with_element_shape(self, shape: TensorShape) -> Self:
        """A copy of this array, whose elements have `shape`."""
        found = self._copy()
        found._element_shape = shape
        return found

    def _enlarged(self, count: int) -> Tensor | Unshaped:
        """The rows with zeros for the elements up to `count`."""
        rows = self._flattened()
        if type(rows) is Unshaped:
            return Unshaped(count, self._dtype)
        assert type(rows) is Tensor
        height, *dims = rows._aval.shape
        return concat_tensors([rows, zeros([count - height, *dims], self._dtype)], 0) if count > height else rows

    def by_host(self) -> Self:
        """A copy of this array for a loop that the host runs: it holds the elements, and enlarges a dynamic array."""
        rows = self._flattened()
        if self._length is not None and type(rows) is Tensor:
            rows = rows[: self._length]  # pyright: ignore[reportIndexIssue]
        found = self._with_rows(rows)
        found._length, found.is_hosted = None, True
        return found

    def after_loop(self) -> Self:
        """A copy of this array, which a loop has carried, for the code after it."""
        found = self._copy()
        found.room = None
        return found

    def trimmed(self, size: int) -> Self:
        """A copy of this array, which a loop has carried, with the first `size` elements."""
        trimmed = self.after_loop()
        if type(self._rows) is Tensor:
            trimmed._rows = self._rows[:size]  # pyright: ignore[reportIndexIssue]
        elif type(self._rows) is Unshaped:
            trimmed._items, trimmed._rows = [None] * size, None
        trimmed._length = None
        return trimmed

    def _flattened(self) -> Tensor | Unshaped:
        rows = self._rows
        if type(rows) is Unshaped:
            return rows if rows.tensor is None else rows.tensor
        if rows is not None:
            return rows
        is_known = self._element_shape.is_fully_defined() or any(item is not None for item in self._items)
        return self._as_rows() if is_known else Unshaped(len(self._items), self._dtype)

    def _flatten_composite(self) -> list[Any]:
        return [self._flattened()] if self._length is None else [self._flattened(), self._length]

    @classmethod
    def _unflatten_composite(cls, spec: Any, leaves: list[Any]) -> Any:
        array = spec._copy()
        array._rows, *length = leaves
        array._length = length[0] if length else None
        array._items = []
        if not here.trace.is_symbolic and type(array._rows) is Tensor and not _is_placeholder(array._rows):
            array._items, array._rows = list(unstack_tensor(array._rows)), None
        return array


def _is_placeholder(rows: Tensor) -> bool:
    """Whether `rows` represents an argument, of which only the shape and the dtype are kept."""
    return rows._array is None and rows._trace is None


def _is_in_function() -> bool:
    """Whether an array is a value, as in TensorFlow's graphs: a `tf.function` runs, with or without a trace."""
    return here.trace.is_symbolic or here.untraced is not None


def _height(rows: Tensor | Unshaped) -> Any:
    return rows.size if type(rows) is Unshaped else rows._aval.shape[0]  # pyright: ignore[reportAttributeAccessIssue]


def _known_size(value: Any) -> Any:
    """`value` as a Python number, or a size with symbols.

    Raises: TypeError if it is not an integer; FindsSizeError if it isn't known.
    """
    tensor = convert_to_tensor(value)
    if tensor.ndim or not (tensor.dtype.is_integer or tensor.dtype.is_bool):
        raise TypeError(
            f"tf.TensorArray: size must be an integer, got {tensor.dtype.name} of shape {tensor.shape}; use tf.cast."
        )
    if is_symbolic(tensor) and (size := size_value(tensor)) is not None:
        return size.item()
    return max(int(known(tensor, "tf.TensorArray")), 0)


def _place(index: Any) -> int | Tensor:
    """`index` as a Python number if it is known, otherwise as an integer tensor."""
    if isinstance(index, float):
        raise TypeError("list indices must be integers or slices, not float")
    tensor = convert_to_tensor(index)
    if not is_symbolic(tensor):
        return int(tensor)
    return cast(tensor, int32) if tensor.dtype is int64 else tensor


def _text(shape: TensorShape) -> str:
    return str(tuple(shape.as_list())) if shape.rank is not None else str(shape)
