"""The first difference between two traces, in words."""

from __future__ import annotations

from collections.abc import Sequence

from tfcompat._core.structure.node import Node, Number, Origin

# The most steps that one trace may have and the other lack, and the number of steps after them that must be equal.
_MOST_LACKING, _ALIKE = 16, 3
# The most steps or variables that are named one by one.
_NAMED = 3


def alikeness(new: Sequence[Node], old: Sequence[Node]) -> float:
    """The share of the steps of two traces that are equal, counted from both ends: 1 if all are."""
    shorter, longer = sorted((len(new), len(old)))
    alike = _common(new, old)
    if alike < shorter:
        alike += _common(new[: alike - len(new) - 1 : -1], old[: alike - len(old) - 1 : -1])
    return min(alike, shorter) / longer if longer else 1.0


def _common(new: Sequence[Node], old: Sequence[Node]) -> int:
    pairs = enumerate(zip(new, old, strict=False))
    return next((k for k, (one, other) in pairs if _name(one) != _name(other)), min(len(new), len(old)))


def place_of(node: Node, slot: int | None = None) -> str:
    """A description of the step `node`: its number in listings (that of `slot`), the user's line, and its op."""
    return f"step {node.first if slot is None else slot} at {node.line} ({_shown(node)})"


def first_difference(new: Sequence[Node], old: Sequence[Node], program: str) -> str:
    """The first difference of the trace `new` from `old`, the trace of `program`, whose name ends the sentence."""
    pairs = enumerate(zip(new, old, strict=False))
    k = next((k for k, (one, other) in pairs if not _is_same(one, other)), min(len(new), len(old)))
    if k == len(new) == len(old):
        return f"tfcompat had forgotten these steps, which are those of {program}"
    added, lacking = _added(new[k:], old[k:]), _added(old[k:], new[k:])
    if added and (not lacking or added <= lacking):
        return f"it adds {_several(new[k], added)} to {program}"
    if lacking:
        return f"it leaves out {_several(old[k], lacking)} of {program}"
    return f"step {new[k].first} at {new[k].line}: {_change(new[k], old[k])} in {program}"


def _is_same(new: Node, old: Node) -> bool:
    return new is old or (new.op is old.op and new.inputs == old.inputs and new.avals == old.avals)


def _added(new: Sequence[Node], old: Sequence[Node]) -> int:
    """The number of steps that `new` begins with before it continues like `old`; 0 if it doesn't."""
    if not old:
        return len(new)
    names = list(map(_name, new[: _MOST_LACKING + _ALIKE]))
    wanted = list(map(_name, old[:_ALIKE]))
    if names[:1] == wanted[:1]:
        return 0
    return next((k for k in range(1, _MOST_LACKING + 1) if names[k : k + _ALIKE] == wanted), 0)


def _several(first: Node, count: int) -> str:
    return place_of(first) if count == 1 else f"{count} steps, from {place_of(first)} on,"


def _change(new: Node, old: Node) -> str:
    """The difference between two steps in the same place."""
    if new.op is None and _name(new) == _name(old):
        return f"{_shown(new)}, was {old.aval!r},"
    if new.op is None or old.op is None or repr(new.op) != repr(old.op):
        return f"{_shown(new)}, was {_shown(old)},"
    name = repr(new.op)
    if new.origin is not None and old.origin is not None and new.origin.wanted != old.origin.wanted:
        return f"{name} for {_wanted(new.origin)}, was for {_wanted(old.origin)},"
    if len(new.inputs) != len(old.inputs):
        return f"{name} of {len(new.inputs)} inputs, was of {len(old.inputs)},"
    if new.inputs != old.inputs:
        return f"{name} of {_inputs(new)}, was of {_inputs(old)},"
    return f"{name} with another function or other constants than"


def _wanted(origin: Origin) -> str:
    return f"input{'s' * (len(origin.wanted) > 1)} {listed(list(map(str, origin.wanted)))}"


def _name(node: Node) -> str:
    if node.op is not None:
        return node.op.name
    return "number" if node.inputs else "leaf"


def _shown(node: Node) -> str:
    return repr(node.op) if node.op is not None else f"{_name(node)} {node.aval!r}"


def _inputs(node: Node) -> str:
    return listed([f"a {r.dtype.name} number" if type(r) is Number else f"step {r}" for r in node.inputs])


def listed(names: Sequence[str]) -> str:
    """`names` in a sentence, only the first ones if there are many."""
    if len(names) > _NAMED + 1:
        names = [*names[:_NAMED], f"{len(names) - _NAMED} more"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
