"""The functions of a SavedModel, which call each other, and the kernels that they need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from tfcompat._core.system.error import DataLossError
from tfcompat._saved_model.kernels.plan import Plan, Step
from tfcompat._saved_model.messages.declaration import declarations

# The most steps of a call, with those of the functions that it calls, and the most calls within each other.
_MOST_STEPS = 2_000_000
_MOST_DEPTH = 40

Kernel = Callable[["Frame", Step, list[Any]], Sequence[Any]]


class Objects(Protocol):
    """The objects of a SavedModel, which its functions use."""

    def captured(self, name: str, frame: Frame | None) -> list[Any]:
        """The values that the function `name` takes after its arguments; `frame` is the function around it, if any."""
        ...

    def arranged(self, name: str, results: Sequence[Any], count: int) -> list[Any]:
        """The `results` of the function `name`, a gradient, for `count` inputs: None where it has none."""
        ...


class Library:
    """The functions of a graph by name.

    Attributes:
      gradients: the functions that are gradients, by the type that nodes name.
      objects: the values that functions take after their arguments.
      programs: the ops of programs, by the names of functions and nodes.
      has_growing_lists: whether a node enlarges a list of tensors.

    Raises: DataLossError if functions are declared twice, or call each other in a circle.
    """

    def __init__(
        self, graph: Any, kernel: Callable[[str], Kernel | None], kept: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        """The functions of the `GraphDef` `graph`. `kept` has the nodes of functions that gradients use.

        `kernel` returns what computes the nodes of a kernel; None for kernels that do not exist here.
        """
        self._messages = {function.signature.name: function for function in graph.library.function}
        if len(self._messages) < len(graph.library.function):
            raise DataLossError.of("a SavedModel is corrupted: two functions have one name")
        self._op_defs = {name: message.signature for name, message in self._messages.items()} | declarations()
        self.gradients = {each.registered_op_type: each.gradient_func for each in graph.library.registered_gradients}
        self.objects: Objects
        self.programs: dict[tuple[str, str], Any] = {}
        nodes = (node for function in graph.library.function for node in function.node_def)
        self.has_growing_lists = any(map(_enlarges, nodes))
        self._kernel = kernel
        self._kept = kept or {}
        self._plans: dict[str, Plan] = {}
        self._missing: dict[str, list[str]] = {}
        self._sizes = self._measured()

    def __contains__(self, name: str) -> bool:
        return name in self._messages

    def plan(self, name: str) -> Plan:
        """The plan of the function `name`. Raises DataLossError if it is corrupted or does not exist."""
        if name not in self._plans:
            if name not in self._messages:
                raise DataLossError.of(f"a SavedModel is corrupted: there is no function {name!r}")
            self._plans[name] = Plan(self._messages[name], self._op_defs, self._kept.get(name, ()))
        return self._plans[name]

    def _called(self, message: Any) -> Iterator[str]:
        """The functions that the function `message` calls, once for each call."""
        for node in message.node_def:
            yield from self._called_by(node)

    def _called_by(self, node: Any) -> Iterator[str]:
        if node.op in self._messages:
            yield node.op
        for value in node.attr.values():
            if value.HasField("func"):
                yield value.func.name
            for each in value.list.func if value.HasField("list") else ():
                yield each.name

    def _measured(self) -> dict[str, int]:
        """The number of steps of each function with those that it calls. Raises DataLossError for circles."""
        sizes: dict[str, int] = {}
        depths: dict[str, int] = {}
        for start in self._messages:
            open_names: dict[str, Iterator[str]] = {}
            waiting = [start]
            while waiting:
                name = waiting[-1]
                message = self._messages.get(name)
                if name in sizes or message is None:
                    waiting.pop()
                    continue
                if name not in open_names:
                    open_names[name] = iter(set(self._called(message)))
                below = next(open_names[name], None)
                if below is None:
                    called = [each for each in self._called(message) if each in sizes]
                    sizes[name] = len(message.node_def) + sum(sizes[each] for each in called)
                    depths[name] = 1 + max((depths[each] for each in called), default=0)
                    waiting.pop()
                elif below in open_names and below not in sizes:
                    raise DataLossError.of(f"a SavedModel is corrupted: its function {below!r} calls itself")
                else:
                    waiting.append(below)
        self._depths = depths
        return sizes

    def require_runnable(self, name: str) -> None:
        """Raises NotImplementedError for a function with kernels that do not exist here, or that is too large."""
        missing = self.missing(name)
        if missing:
            raise NotImplementedError(
                f"tf.saved_model.load: the function {name!r} needs kernels that tfcompat lacks: {', '.join(missing)}. "
                "Its variables are loaded; write the computation with tf's functions and use them."
            )
        if self._sizes[name] > _MOST_STEPS or self._depths[name] > _MOST_DEPTH:
            raise NotImplementedError(
                f"tf.saved_model.load: the function {name!r} has {self._sizes[name]} steps in functions that are "
                f"{self._depths[name]} deep; at most {_MOST_STEPS} and {_MOST_DEPTH} are supported."
            )

    def missing(self, name: str) -> list[str]:
        """The kernels that the function `name` needs and that do not exist here, in alphabetical order."""
        if name not in self._missing:
            self._missing[name] = self._found_missing(name)
        return self._missing[name]

    def _found_missing(self, name: str) -> list[str]:
        found: set[str] = set()
        seen: set[str] = set()
        waiting = [name]
        while waiting:
            name = waiting.pop()
            if name in seen or name not in self._messages:
                continue
            seen.add(name)
            message = self._messages[name]
            unknown = {node.op for node in message.node_def if not self._is_known(node.op)}
            # Nodes that no result needs may have any kernel.
            nodes = (
                message.node_def if unknown - set(declarations()) else [step.message for step in self.plan(name).steps]
            )
            found |= unknown.intersection(node.op for node in nodes)
            for node in nodes:
                waiting += self._called_by(node)
        return sorted(found)

    def _is_known(self, op: str) -> bool:
        return op in self._messages or (op in declarations() and self._kernel(op) is not None)

    def run(self, name: str, arguments: Sequence[Any]) -> list[Any]:
        """The results of the function `name`. Its steps are recorded like other ops.

        Raises: DataLossError for another number of arguments than the function has.
        """
        plan = self.plan(name)
        if len(arguments) != len(plan.parameters):
            raise DataLossError.of(
                f"a SavedModel is corrupted: {name!r} takes {len(plan.parameters)} arguments, not {len(arguments)}"
            )
        frame = Frame(self, plan, arguments)
        for step in plan.steps:
            inputs = [frame.values[slot] for slot in step.inputs]
            if step.op in self._messages:
                outputs: Sequence[Any] = self.run(step.op, inputs)
            else:
                kernel = self._kernel(step.op)
                assert kernel is not None
                outputs = kernel(frame, step, inputs)
            if len(outputs) != step.outputs:
                raise DataLossError.of(f"{step.subject} has {len(outputs)} outputs, expected {step.outputs}")
            frame.values[step.first : step.first + step.outputs] = outputs
        return [frame.values[slot] for slot in plan.results]


def _enlarges(node: Any) -> bool:
    """Whether a node may enlarge a list of tensors."""
    return node.op == "TensorListPushBack" or bool(
        node.op == "TensorListSetItem" and node.attr["resize_if_index_out_of_bounds"].b
    )


class Frame:
    """A call of a function.

    Attributes:
      library: the functions.
      plan: the plan of the function.
      values: the values of the tensors, by slot.
    """

    def __init__(self, library: Library, plan: Plan, arguments: Sequence[Any]) -> None:
        self.library = library
        self.plan = plan
        self.values: list[Any] = [*arguments, *[None] * (plan.size - len(arguments))]


def attributes(step: Step, accepted: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of `step` for a kernel with the parameters `accepted`.

    Raises: NotImplementedError for an attribute that the kernel has not, unless it follows from the inputs.
    """
    found: dict[str, Any] = {}
    for name in step.message.attr:
        given = str(name if name in accepted else _RENAMED.get(name, name))
        if given in accepted:
            found[given] = step.attribute(name)
        elif name not in step.inferred and not name.startswith("_"):
            raise NotImplementedError(
                f"tf.raw_ops.{step.op}: the attribute {name!r} of {step.subject} is not supported."
            )
    return found


# Names of parameters in files, and in `tf.raw_ops`.
_RENAMED = {"squeeze_dims": "axis"}
