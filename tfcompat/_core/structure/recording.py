"""A recording: a path through the tree of structures, with the values that are not part of the structure.

Its methods extend the path by leaves and steps.
"""

from __future__ import annotations

from typing import Any
from weakref import ref

import numpy as np

from tfcompat._core.operation.op import Op
from tfcompat._core.structure.node import Node, Number, Origin, Reference, tree
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.device import to_device
from tfcompat._core.system.error import UntraceableError
from tfcompat._core.system.location import user_line
from tfcompat._core.types.aval import Aval, aval_of
from tfcompat._core.types.dtype import TRAINABLE, int32

# Counting the references to a smaller buffer takes longer than allocating a new one (0.6 us on a CPU).
SMALL_BUFFER = 4096
# The `_slot` of a tensor whose array on the host was read once.
_READ_ONCE = -2


class Recording:
    """A path through the tree of structures, with its values. It grows by leaves and by steps.

    Attributes:
      node: the last node of the path.
      floats, ints: the recorded Python numbers, in order.
      leaves: the finished tensors that steps read, in order; `leaf_slots`: their slots by `id`; `constants`: those that
        are numbers.
      pending: weak references to the tensors that steps have made.
      replaced: for each assigned variable, by its number: the variable, and the tensor that it held before.
      start: slots before this one have been computed.
      kept: arrays of such slots, while a tape holds the trace.
      smallest: the size in bytes from which on buffers are donated.
      runs_once: whether its structure will not run again, so that no program is compiled for it.
      is_recurring: whether its structure will probably run again, as a function's will.
      has_open_sizes: whether it belongs to a function some of whose sizes are open: then others will probably come.
    """

    __slots__ = (
        *("constants", "floats", "has_open_sizes", "ints", "is_recurring", "kept", "leaf_slots", "leaves", "node"),
        *("pending", "replaced", "runs_once", "smallest", "start"),
    )

    # Whether its tensors have no values: it is the body of a function that is being traced.
    is_symbolic = False

    def __init__(self) -> None:
        self.node: Node = tree.root
        self.floats: list[float] = []
        self.ints: list[int] = []
        self.leaves: list[Tensor] = []
        self.constants: list[Tensor] = []
        self.leaf_slots: dict[int, int] = {}
        self.pending: list[ref[Tensor]] = []
        self.replaced: dict[int, tuple[Any, Tensor]] = {}
        self.kept: dict[int, Any] = {}
        self.start = 0
        self.smallest = SMALL_BUFFER
        self.runs_once = False
        self.is_recurring = False
        self.has_open_sizes = False

    def is_held(self) -> bool:
        """Whether a tape may still replay a part of it."""
        return False

    def awaits(self, tensor: Tensor) -> bool:
        """Whether `tensor`, which has no value, will have an array on the device before this recording runs."""
        del tensor
        return False

    def slot_of(self, tensor: Tensor) -> int:
        """The slot of `tensor`, which becomes a leaf if it isn't in this trace yet."""
        return tensor._slot if tensor._trace is self else self.leaf_slot(tensor)

    def leaf_slot(self, tensor: Tensor) -> int:
        """The slot of `tensor`, which this trace does not compute. It becomes a leaf unless it is one already."""
        slot = self.leaf_slots.get(id(tensor))
        return self._leaf(tensor) if slot is None else slot

    def find(self, tensor: Tensor) -> int | None:
        """The slot of `tensor` if it is in this trace, else None."""
        return tensor._slot if tensor._trace is self else self.leaf_slots.get(id(tensor))

    def _leaf(self, tensor: Tensor) -> int:
        array = tensor._array
        if array is None and not self.awaits(tensor):
            array = tensor._value("thread")
        if type(array) is np.ndarray:
            if array.ndim == 0 and array.dtype.kind in "fib":
                return self._number_leaf(tensor, "f" if array.dtype.kind == "f" else "i", array.item())
            upload(tensor, array)
        aval, key = tensor._aval, id(tensor)
        while True:
            before = self.node
            node = before.next.get(aval)
            if node is None:
                node = self._array_node(aval)
            if self.node is before:  # else a signal handler has recorded steps meanwhile
                self.leaves[before.leaves :] = (tensor,)
                self.node = node
                slot = self.leaf_slots[key] = node.first
                return slot

    def _array_node(self, aval: Aval) -> Node:
        """The node after the current one for a leaf that is an array."""
        node = self.node.next.get(aval)
        if node is None:
            if aval.struct is None and self.is_symbolic:
                raise UntraceableError(
                    f"tf.function: no program holds a {aval.dtype.name}; strings stay on the host, so branches and "
                    "loops over values that are not known while tracing can't choose them. Use a tf.py_function."
                )
            node = self.node.extended(aval, None, (), (), (aval,), user_line())
        return node

    def _number_leaf(self, tensor: Tensor, kind: str, value: Any) -> int:
        aval, key = tensor._aval, id(tensor)
        while True:
            before = self.node
            node = before.next.get((kind, aval))
            if node is None:
                number = Number(kind, before.floats if kind == "f" else before.ints, aval.dtype)
                node = before.extended((kind, aval), None, (number,), (aval,), (aval,), user_line())
            if self.node is before:  # else a signal handler has recorded steps meanwhile
                if kind == "f":
                    self.floats[before.floats :] = (value,)
                else:
                    self.ints[before.ints :] = (value,)
                self.node = node
                slot = self.leaf_slots[key] = node.first
                self.constants.append(tensor)
                return slot

    def number(self, node: Node) -> Tensor:
        """The value of `node`, a leaf that is a number. It needs no tensor in `constants`: functions bring numbers."""
        (number,) = node.inputs
        assert isinstance(number, Number)
        values = self.floats if number.kind == "f" else self.ints
        return Tensor(np.array(values[number.index], node.avals[0].dtype.as_numpy_dtype))

    def extend(self, op: Op, key: tuple[Any, ...], inputs: tuple[Any, ...]) -> Node:
        """A new node that applies `op` to `inputs`. Nothing is recorded if the op refuses them."""
        node = self.node
        dtype = next((x._aval.dtype for x in reversed(inputs) if type(x) is Tensor), None)
        references: list[Reference] = []
        signature: list[Aval] = []
        used = {"f": node.floats, "i": node.ints}
        for part, given in zip(key[1:], inputs, strict=True):
            if type(given) is Tensor:
                references.append(part)
                signature.append(given._aval)
            else:
                assert dtype is not None
                taken = int32 if part == "i" and dtype in TRAINABLE else dtype
                references.append(Number(part, used[part], taken))
                signature.append(aval_of((), taken))
                used[part] += 1
        avals = op.infer(tuple(signature))
        return node.extended(key, op, tuple(references), tuple(signature), avals, user_line())

    def step(
        self,
        op: Op,
        inputs: tuple[Reference, ...],
        signature: tuple[Aval, ...],
        origin: Origin | None = None,
        line: str | None = None,
    ) -> Node:
        """Appends `op` on slots and numbers of this trace; derivatives are recorded in this way.

        `line` is the user's line that records it, if it is known.
        """
        while True:
            before = self.node
            node = before.next.get((op, inputs))
            if node is None:
                node = before.extended((op, inputs), op, inputs, signature, op.infer(signature), line or user_line())
                node.origin = origin
            if self.node is before:  # else a signal handler has recorded steps meanwhile
                self.node = node
                return node


def upload(tensor: Tensor, array: np.ndarray) -> None:
    """Moves the host array of `tensor` to the device at its second read; at the first read it is passed as it is."""
    if tensor._slot == _READ_ONCE:
        tensor._array = to_device(array)
    tensor._slot = _READ_ONCE
