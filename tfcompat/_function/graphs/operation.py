"""The operation of a tensor in a function that is being traced: `tensor.op`."""

from __future__ import annotations

from typing import Any

from tfcompat._core.structure.node import Node
from tfcompat._core.structure.tensor import Tensor

_ARGUMENT = "Placeholder"
# TensorFlow's names of kernels that are not those of the functions, in words with capitals.
_KERNELS = {"add": "AddV2", "concat": "ConcatV2", "floormod": "FloorMod", "gather": "GatherV2", "matmul": "MatMul"}


class TracedGraph:
    """The graph of a function that is being traced, for programs that do not use `tf.compat.v1`.

    Attributes:
      name: the name of the function.
    """

    building_function = True

    def __init__(self, name: str) -> None:
        self.name = name


class Operation:
    """The op that computes a tensor.

    Attributes:
      name: the name of the tensor, without its place among the outputs.
      type: TensorFlow's name of the kernel, such as "Softmax", if the op is one of TensorFlow's.
    """

    def __init__(self, trace: Any, node: Node, name: str) -> None:
        self._trace = trace
        self._node = node
        self.name = name.removesuffix(":0")
        self.type = _ARGUMENT if node.op is None else kernel_name(node.op.name)

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The tensors that the op reads, without Python numbers."""
        node = self._node
        if node.op is None:
            return ()
        given = zip(node.inputs, node.signature, strict=True)
        return tuple([self._trace.tensor(slot, aval) for slot, aval in given if isinstance(slot, int)])

    def __repr__(self) -> str:
        return f"<tf.Operation {self.name!r} type={self.type}>"


def kernel_name(op: str) -> str:
    """The name of the kernel for the op `op`: "LogSoftmax" for "nn.log_softmax"."""
    last = op.rpartition(".")[2]
    return _KERNELS.get(last, "".join([word.capitalize() for word in last.split("_")]))
