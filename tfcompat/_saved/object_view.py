"""The objects that an object depends on, by breadth: `tf.train.TrackableView`."""

from __future__ import annotations

import copy
import weakref
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple, Self

from tfcompat._state.cell import Cell
from tfcompat._state.tracking.trackable import SaveType, Trackable, TrackableReference
from tfcompat._state.tracking.wrapping import wrap_or_unwrap

Path = tuple[TrackableReference, ...]
_ESCAPE = "."


class Visit(NamedTuple):
    """An object, the references that lead to it from the root, and its direct dependencies by name."""

    trackable: Any
    path: Path
    children: list[tuple[str, Any]]


def identity_of(trackable: Any) -> Hashable:
    """Equal for one object only; all views of a variable are one object."""
    return ("variable", trackable._number) if isinstance(trackable, Cell) else id(trackable)


def has_tensors(trackable: Any) -> bool:
    """Whether a checkpoint has tensors for `trackable` itself."""
    return type(trackable)._serialize_to_tensors is not Trackable._serialize_to_tensors


def escaped(name: str) -> str:
    """`name` as a part of the name of a tensor: without slashes."""
    return name.replace(_ESCAPE, _ESCAPE * 2).replace("/", f"{_ESCAPE}S")


def name_of(path: Path) -> str:
    """The name of the object at `path` in names of tensors."""
    return "/".join(escaped(reference.name) for reference in path)


class TrackableView:
    """The objects that `root` depends on, directly and indirectly.

    Args:
      root: a trackable object, or a weak reference to one. The view does not keep it alive.

    Source: TF 2.21 `tf.train.TrackableView`.
    """

    def __init__(self, root: Any) -> None:
        self._root_ref = root if isinstance(root, weakref.ref) else weakref.ref(root)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """The view of the copied root, which the caller keeps alive."""
        copied = memo[id(self)] = type(self).__new__(type(self))
        root = self._root_ref()
        copied._root_ref = self._root_ref if root is None else weakref.ref(copy.deepcopy(root, memo))
        return copied

    @classmethod
    def children(cls, obj: Any, save_type: str = SaveType.CHECKPOINT, **kwargs: Any) -> dict[str, Any]:
        """The objects that `obj` depends on directly, by name.

        Raises: ValueError if one is not trackable.
        Source: TF 2.21 `tf.train.TrackableView.children`.
        """
        obj._maybe_initialize_trackable()
        found = {name: wrap_or_unwrap(child) for name, child in obj._trackable_children(save_type, **kwargs).items()}
        for child in found.values():
            if not isinstance(child, Trackable):
                raise ValueError(f"Cannot convert {child} to Trackable.")
        return found

    @property
    def root(self) -> Any:
        """The root. Raises AssertionError if it has been deleted."""
        root = self._root_ref()
        assert root is not None, "The root of the view has been deleted."
        return root

    def descendants(self) -> list[Any]:
        """The root and all objects that it depends on, each once, the nearest first."""
        return [visit.trackable for visit in self._visits()]

    def _visits(self) -> list[Visit]:
        return traversed(self.root, lambda trackable: self.children(trackable).items())


class AttachedView(TrackableView):
    """A view in which the root also depends on `attached`: references to objects, or weak references to them."""

    def __init__(self, root: Any, attached: list[TrackableReference]) -> None:
        super().__init__(root)
        self.attached = attached

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """As before; other objects of weak references than the root are not copied, as in TensorFlow."""
        copied = super().__deepcopy__(memo)
        # All weak references to an object are one.
        copied.attached = [
            TrackableReference(name, copied._root_ref if child is self._root_ref else copy.deepcopy(child, memo))
            for name, child in self.attached
        ]
        return copied

    def listed(self, trackable: Any) -> Iterable[tuple[str, Any]]:
        """The dependencies of `trackable` by name."""
        found = list(self.children(trackable).items())
        if trackable is self.root:
            for name, child in self.attached:
                held = child() if isinstance(child, weakref.ref) else child
                if held is not None:
                    found.append((name, held))
        return found

    def visits(self) -> list[Visit]:
        """The root and all objects that it depends on, each once, the nearest first."""
        return traversed(self.root, self.listed)

    _visits = visits


def traversed(root: Any, children: Callable[[Any], Iterable[tuple[str, Any]]]) -> list[Visit]:
    """`root` and the objects that it depends on, each once, the nearest first. `children` is called once for each."""
    found: list[Visit] = []
    known = {identity_of(root)}
    waiting: deque[tuple[Any, Path]] = deque([(root, ())])
    while waiting:
        trackable, path = waiting.popleft()
        found.append(Visit(trackable, path, list(children(trackable))))
        for name, child in found[-1].children:
            if identity_of(child) not in known:
                known.add(identity_of(child))
                waiting.append((child, (*path, TrackableReference(name, child))))
    return found
