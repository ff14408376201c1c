"""`tf.map_fn` over values that the host computes, as messages: TensorFlow's loop over lists of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcompat._core.types.dtype import DType, bool_, int32, variant
from tfcompat._core.types.shape import TensorShape
from tfcompat._data.function.graph import HostStep
from tfcompat._data.function.loop import Iterated
from tfcompat._jaxpr.size import is_open
from tfcompat._saved_model.nodes.function_writer import Written, new_message
from tfcompat._saved_model.nodes.node import function_node
from tfcompat._saved_model.nodes.node_writer import NodeWriter, Value

_REFUSAL = "A SavedModel of tfcompat has no gradients of tf.map_fn over strings, files, images or open shapes."


class MapWriter:
    """The messages of a `tf.map_fn`.

    Attributes:
      functions: the condition and the body of the loop, the function that the body calls, and those that this calls.
    """

    def __init__(self, iterated: Iterated, function: Written, number: int) -> None:
        """The loop over `function`, the written function of `iterated`; `number` makes names unique."""
        self._iterated = iterated
        self._function = function
        self._number = number
        self.functions: list[Any] = [*function.functions, function.message]

    def outputs(self, nodes: NodeWriter, step: HostStep, inputs: list[Value], handles: list[Value]) -> list[Value]:
        """The results of the loop, which `nodes` get, for the rows `inputs`, behind them captured values.

        `handles` are those of the variables and tables that the function takes.
        """
        count = len(inputs) - len(self._iterated.captured)
        rows, captured = inputs[:count], [*inputs[count:], *handles]
        zero, any_size = nodes.constant(0, int32), nodes.constant(-1, int32)
        shape = nodes.one("Shape", [rows[0]], int32, {"out_type": ("type", int32)})
        size = nodes.one("GatherV2", [shape, zero, zero], int32)
        lists = [_list_of(nodes, row) for row in rows]
        kinds = [("type", dtype) for dtype in step.dtypes]
        empty = [
            nodes.one("TensorListReserve", [any_size, size], variant, {"element_dtype": kind}, ()) for kind in kinds
        ]
        state = [zero, size, *empty, *lists, *captured]
        attributes: dict[str, tuple[str, Any]] = {
            "cond": ("func", self._condition(state)),
            "body": ("func", self._body(state, [row.dtype for row in rows], step.dtypes)),
            "output_shapes": ("list_shape", [TensorShape(None)] * len(state)),
            "parallel_iterations": ("i", 1),
        }
        after = nodes.add("While", [state], [value.dtype for value in state], attributes)
        found: list[Value] = []
        for place, (kind, leaf) in enumerate(zip(kinds, self._iterated.block.leaves, strict=True)):
            sizes = nodes.constant(_sizes(leaf.shape), int32)
            given = {"element_dtype": kind, "num_elements": ("i", -1)}
            stacked = nodes.one("TensorListStack", [after[2 + place], sizes], kind[1], given)
            found.append(self._without_gradient(nodes, stacked, [*rows, *captured]))
        return found

    def _without_gradient(self, nodes: NodeWriter, value: Value, sources: Sequence[Value]) -> Value:
        """`value`, which has no gradient, or one that is an error if it depends on `sources` that have gradients."""
        if any(source.dtype.is_floating or source.dtype.is_complex for source in sources):
            return nodes.one("PreventGradient", [value], value.dtype, {"message": ("s", _REFUSAL.encode())})
        return nodes.one("StopGradient", [value], value.dtype)

    def _condition(self, state: Sequence[Value]) -> str:
        message, nodes = self._new("cond", state)
        more = nodes.one("Less", [Value("state_0", int32, ()), Value("state_1", int32, ())], bool_)
        _return(message, nodes, [more])
        return message.signature.name

    def _body(self, state: Sequence[Value], rows: Sequence[DType], results: Sequence[DType]) -> str:
        message, nodes = self._new("body", state)
        place, size, *rest = [Value(f"state_{k}", value.dtype, value.shape) for k, value in enumerate(state)]
        lists, items = rest[: len(results)], rest[len(results) : len(results) + len(rows)]
        captured = rest[len(results) + len(rows) :]
        any_size = nodes.constant(-1, int32)
        given = [
            nodes.one("TensorListGetItem", [item, place, any_size], dtype, {"element_dtype": ("type", dtype)})
            for item, dtype in zip(items, rows, strict=True)
        ]
        inputs = self._iterated.arranged(given, captured)
        nodes.message(function_node("call", self._function.message, [value.name for value in inputs]))
        changed = [
            nodes.one(
                "TensorListSetItem",
                [held, place, Value(f"call:output:{k}", dtype, None)],
                variant,
                {"element_dtype": ("type", dtype)},
            )
            for k, (held, dtype) in enumerate(zip(lists, results, strict=True))
        ]
        following = nodes.one("AddV2", [place, nodes.constant(1, int32)], int32)
        _return(message, nodes, [following, size, *changed, *items, *captured])
        return message.signature.name

    def _new(self, part: str, state: Sequence[Value]) -> tuple[Any, NodeWriter]:
        message, _ = new_message(f"{self._function.name}_{part}", self._number)
        for place, value in enumerate(state):
            message.signature.input_arg.add(name=f"state_{place}", type=value.dtype.as_datatype_enum)
        self.functions.append(message)
        return message, NodeWriter(message)


def _return(message: Any, nodes: NodeWriter, values: Sequence[Value]) -> None:
    """Lets the function `message` return `values`; parameters are returned as they are."""
    for place, value in enumerate(values):
        name = f"output_{place}"
        message.signature.output_arg.add(name=name, type=value.dtype.as_datatype_enum)
        is_parameter = ":" not in value.name
        message.ret[name] = value.name if is_parameter else nodes.one("Identity", [value], value.dtype).name
    if any(each.op == "StatefulPartitionedCall" for each in message.node_def):
        message.signature.control_output.append("call")
        message.control_ret["call"] = "call"


def _list_of(nodes: NodeWriter, rows: Value) -> Value:
    """The rows of a tensor as a list."""
    shape = nodes.one("Shape", [rows], int32, {"out_type": ("type", int32)})
    axis = [nodes.constant([1], int32), nodes.constant([0], int32), nodes.constant([1], int32)]
    masks = {f"{key}_mask": ("i", int(key == "end")) for key in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")}
    inner = nodes.one("StridedSlice", [shape, *axis], int32, masks)
    kinds = {"element_dtype": ("type", rows.dtype)}
    return nodes.one("TensorListFromTensor", [rows, inner], variant, kinds, ())


def _sizes(shape: TensorShape) -> Any:
    """`shape` as the parameter of a kernel: -1 for open sizes, and for an open rank."""
    if shape.rank is None:
        return -1
    return [-1 if size is None or is_open(size) else size for size in shape.as_list()]
