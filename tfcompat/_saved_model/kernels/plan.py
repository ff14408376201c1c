"""The plan of a function of a graph: its nodes in an order in which they can be computed, with numbers for tensors."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tfcompat._core.system.error import DataLossError
from tfcompat._saved_model.messages.attribute import attribute_of

# The most outputs of all nodes of a function.
_MOST_OUTPUTS = 1 << 20


class Step(NamedTuple):
    """A node.

    Attributes:
      name, op: its name and that of its kernel.
      inputs: the slots of its inputs.
      groups: for each parameter of the kernel that is a tensor its name, the number of inputs for it, and whether these
        are a list.
      first: the slot of its first output.
      outputs: how many outputs it has.
      message: its `NodeDef`.
      inferred: the names of attributes that follow from the inputs.
    """

    name: str
    op: str
    inputs: tuple[int, ...]
    groups: tuple[tuple[str, int, bool], ...]
    first: int
    outputs: int
    message: Any
    inferred: frozenset[str]

    def attribute(self, name: str, default: Any = None) -> Any:
        """The value of the attribute `name`; `default` if the node has none."""
        if name not in self.message.attr:
            return default
        return attribute_of(self.message.attr[name], self.subject)

    @property
    def subject(self) -> str:
        """The node, in messages."""
        return f"the node {self.name!r} of a SavedModel"


class Plan:
    """A function of a graph.

    Attributes:
      name: its name.
      parameters: the names of its parameters, whose values are in the first slots.
      steps: the nodes that a call computes, in order.
      slots: the first slot of each output of a node, by "node:output".
      nodes: the first slot of each node.
      results: the slots of its results.
      size: the number of slots.

    Raises: DataLossError if the nodes refer to outputs that do not exist, or to each other in a circle.
    """

    def __init__(self, message: Any, op_defs: Mapping[str, Any], kept: Iterable[str] = ()) -> None:
        """The plan of the `FunctionDef` `message`. `op_defs` are the declarations of kernels and of functions.

        The nodes `kept` are computed, if they exist, even if no result needs them.
        """
        self.name: str = message.signature.name
        self._subject = f"the function {self.name!r} of a SavedModel"
        self.parameters = [each.name for each in message.signature.input_arg]
        self.nodes: dict[str, int] = {}
        self.slots = {name: place for place, name in enumerate(self.parameters)}
        self.size = len(self.parameters)
        listed = list(message.node_def)
        places = {node.name: place for place, node in enumerate(listed)}
        if len(places) < len(listed) or len(self.slots) < self.size:
            raise self._corrupted("two nodes have one name")
        counts = [self._place_outputs(node, self._declared(node, op_defs)) for node in listed]
        needed = self._needed(message, listed, places, op_defs, kept)
        order = self._ordered(listed, places, needed)
        self.steps = [self._step(listed[place], counts[place], op_defs) for place in order]
        rets = [message.ret.get(each.name) for each in message.signature.output_arg]
        self.results = [self._slot(ret or "") for ret in rets]

    def _corrupted(self, problem: str) -> DataLossError:
        return DataLossError.of(f"{self._subject} is corrupted: {problem}")

    def _declared(self, node: Any, op_defs: Mapping[str, Any]) -> Any:
        found = op_defs.get(node.op)
        if found is None:
            raise self._corrupted(f"the kernel {node.op!r} is not declared")
        return found

    def _place_outputs(self, node: Any, declared: Any) -> int:
        """Gives slots to the outputs of `node`, and returns how many it has."""
        first = self.nodes[node.name] = self.size
        for output in declared.output_arg:
            self.slots[f"{node.name}:{output.name}"] = self.size
            self.size += self._length(node, declared, output)
            if self.size > _MOST_OUTPUTS:
                raise self._corrupted(f"its nodes have more than {_MOST_OUTPUTS} outputs")
        return self.size - first

    def _length(self, node: Any, declared: Any, argument: Any) -> int:
        """How many tensors the parameter or the output `argument` of the kernel of `node` has."""
        if argument.number_attr:
            count = self._given(node, declared, argument.number_attr).i
            if not 0 <= count <= _MOST_OUTPUTS:
                raise self._corrupted(f"{node.name!r} has {count} outputs")
            return count
        if argument.type_list_attr:
            return len(self._given(node, declared, argument.type_list_attr).list.type)
        return 1

    def _given(self, node: Any, declared: Any, name: str) -> Any:
        if name in node.attr:
            return node.attr[name]
        for each in declared.attr:
            if each.name == name and each.HasField("default_value"):
                return each.default_value
        raise self._corrupted(f"{node.name!r} lacks the attribute {name!r}")

    def _slot(self, reference: str) -> int:
        """The slot of a tensor, written "parameter", or "node:output:number"."""
        if reference in self.slots and ":" not in reference:
            return self.slots[reference]
        head, _, number = reference.rpartition(":")
        first = self.slots.get(head)
        if first is None or not number.isdecimal() or len(number) > len(str(_MOST_OUTPUTS)):
            raise self._corrupted(f"there is no tensor {reference!r}")
        slot = first + int(number)
        if slot >= self.size:
            raise self._corrupted(f"there is no tensor {reference!r}")
        return slot

    def slot_of_tensor(self, name: str) -> int:
        """The slot of the tensor with the name "node:number" in a graph. Raises DataLossError if it does not exist."""
        head, _, number = name.rpartition(":")
        first = self.slots.get(head) if head in self.parameters else self.nodes.get(head)
        if first is None or not number.isdecimal() or len(number) > len(str(_MOST_OUTPUTS)):
            raise self._corrupted(f"there is no tensor {name!r}")
        return min(first + int(number), self.size - 1)

    def _sources(self, node: Any) -> tuple[list[str], list[str]]:
        """The names of the nodes that `node` waits for, through tensors and otherwise."""
        data = [name.partition(":")[0] for name in node.input if not name.startswith("^")]
        return data, [name[1:] for name in node.input if name.startswith("^")]

    def _needed(
        self,
        message: Any,
        listed: Sequence[Any],
        places: Mapping[str, int],
        op_defs: Mapping[str, Any],
        kept: Iterable[str],
    ) -> set[int]:
        """The nodes that a call computes: those of the results, those with side effects, and those before them."""
        waiting = [ret.partition(":")[0] for ret in message.ret.values()]
        waiting += list(message.control_ret.values())
        waiting += [name for name in kept if name in places]
        waiting += [node.name for node in listed if op_defs[node.op].is_stateful]
        needed: set[int] = set()
        while waiting:
            name = waiting.pop()
            place = places.get(name)
            if place is None:
                if name not in self.slots:
                    raise self._corrupted(f"there is no node {name!r}")
            elif place not in needed:
                needed.add(place)
                data, control = self._sources(listed[place])
                waiting += data
                waiting += control
        return needed

    def _ordered(self, listed: Sequence[Any], places: Mapping[str, int], needed: set[int]) -> list[int]:
        """The nodes `needed`, each after those that it waits for; else in the order of the file."""
        followers: dict[int, list[int]] = {}
        missing: dict[int, int] = {}
        for place in needed:
            data, control = self._sources(listed[place])
            before = {places[name] for name in (*data, *control) if name in places}
            missing[place] = len(before)
            for source in before:
                followers.setdefault(source, []).append(place)
        ready = [place for place, count in missing.items() if not count]
        heapq.heapify(ready)
        order: list[int] = []
        while ready:
            place = heapq.heappop(ready)
            order.append(place)
            for follower in followers.get(place, ()):
                missing[follower] -= 1
                if not missing[follower]:
                    heapq.heappush(ready, follower)
        if len(order) < len(needed):
            raise self._corrupted("its nodes wait for each other")
        return order

    def _step(self, node: Any, count: int, op_defs: Mapping[str, Any]) -> Step:
        declared = op_defs[node.op]
        references = [name for name in node.input if not name.startswith("^")]
        groups: list[tuple[str, int, bool]] = []
        inferred: set[str] = set()
        for argument in declared.input_arg:
            is_list = bool(argument.number_attr or argument.type_list_attr)
            groups.append((argument.name, self._length(node, declared, argument), is_list))
            inferred |= {argument.type_attr, argument.number_attr, argument.type_list_attr}
        if sum(length for _, length, _ in groups) != len(references):
            raise self._corrupted(f"{node.name!r} has {len(references)} inputs")
        slots = tuple([self._slot(name) for name in references])
        return Step(node.name, node.op, slots, tuple(groups), self.nodes[node.name], count, node, frozenset(inferred))
