"""The objects that a SavedModel is loaded into."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import DataLossError
from tfcompat._saved_model.kernels.restored_function import LoadedFunction, RestoredFunction
from tfcompat._saved_model.kernels.table_kernel import LoadedTable
from tfcompat._saved_model.objects.revival import registration_of
from tfcompat._state.table import KEYS, VALUES, MutableHashTable
from tfcompat._state.tracking.auto_trackable import AutoTrackable
from tfcompat._state.tracking.dict_wrapper import _DictWrapper
from tfcompat._state.tracking.list_wrapper import ListWrapper
from tfcompat._state.tracking.trackable import Trackable
from tfcompat._state.tracking.tuple_wrapper import _TupleWrapper
from tfcompat._state.tracking.wrapping import wrap_or_unwrap

# The most elements of a list; those that are not trackable are lost, and leave gaps.
_MOST_ELEMENTS = 1 << 20

Setter = Callable[[Any, str, Any], None]


class UserObject(AutoTrackable):
    """The base of the classes of loaded objects: each object has a class of its own, which may be callable."""


def user_object() -> UserObject:
    """An object with a class of its own."""
    return type("_UserObject", (UserObject,), {})()


def make_callable(value: Any) -> None:
    """Makes `value`, which has an attribute `__call__`, callable."""
    if isinstance(value, UserObject):
        type.__setattr__(type(value), "__call__", _call)


def _call(instance: Any, *args: Any, **kwargs: Any) -> Any:
    return vars(instance)["__call__"](*args, **kwargs)


class SignatureMap(Mapping[str, LoadedFunction], Trackable):
    """The signatures of a SavedModel by name: functions that take tensors by name, and return dictionaries.

    Source: TF 2.21, the attribute `signatures` of the result of `tf.saved_model.load`.
    """

    def __init__(self) -> None:
        self._signatures: dict[str, Any] = {}

    def add(self, name: str, function: Any) -> None:
        """Adds the signature `name`."""
        self._signatures[name] = function

    def __getitem__(self, key: str) -> Any:
        return self._signatures[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._signatures)

    def __len__(self) -> int:
        return len(self._signatures)

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __repr__(self) -> str:
        return f"_SignatureMap({self._signatures})"


class Asset(Trackable):
    """A file that is saved with a model: `asset_path` is a string tensor with its name.

    Args:
      path: the name of the file.

    Source: TF 2.21 `tf.saved_model.Asset`.
    """

    def __init__(self, path: Any) -> None:
        given = path.numpy() if isinstance(path, Tensor) else os.fspath(path)
        text = given if isinstance(given, bytes) else given.encode()
        self._path = Tensor(np.array(text, object))

    @property
    def asset_path(self) -> Tensor:
        """The name of the file: as given, or in the folder that the model was loaded from."""
        return self._path

    def _as_tensor(self) -> Tensor:
        return self._path

    def __repr__(self) -> str:
        return f"<tf.saved_model.Asset {self._path.numpy()!r}>"


class RestoredResource(AutoTrackable):
    """A table of a SavedModel. Functions of the model make it and fill it."""

    def __init__(self) -> None:
        self._made: Any = None

    @property
    def resource_handle(self) -> Any:
        """The table. Raises DataLossError if the model has no function that makes it."""
        if self._made is None:
            made = self._result_of("_create_resource")
            if not isinstance(made, (LoadedTable, MutableHashTable)):
                raise DataLossError.of("a SavedModel is corrupted: a function for a table makes none")
            self._made = made
        return self._made

    def initialise(self) -> None:
        """Fills the table by the function of the model."""
        self._result_of("_initialize")

    def _result_of(self, name: str) -> Any:
        """The result of the function `name` of the model, which takes no arguments; None without such a function.

        Raises: DataLossError if it cannot be called so; the errors of its ops.
        """
        function = vars(self).get(name)
        if not isinstance(function, RestoredFunction) or not function.concrete_functions:
            return None
        try:
            return function.concrete_functions[0].results([])
        except (AttributeError, LookupError, TypeError, ValueError) as bad:
            raise DataLossError.of(f"a SavedModel is corrupted: its function for a table raises {bad!r}") from bad

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Sets a mutable table to the keys and values of a checkpoint."""
        table = self.resource_handle
        if isinstance(table, MutableHashTable) and set(tensors) == {KEYS, VALUES}:
            table._restore_from_tensors(dict(tensors))

    @property
    def _object_identifier(self) -> str:
        return "_generic_user_object"


def _set_item(elements: Any, name: str, value: Any) -> None:
    place = int(name) if name.isdecimal() and len(name) < 10 else _MOST_ELEMENTS
    if place >= _MOST_ELEMENTS:
        raise DataLossError.of(f"a SavedModel is corrupted: a list has no place {name!r}")
    elements.extend([None] * (1 + place - len(elements)))
    elements[place] = value


def _set_part(parts: Any, name: str, value: Any) -> None:
    """Sets an element of a tuple by its place; that of a named tuple is also a child with the name of its field."""
    if not name.isdecimal():
        return
    elements = list(parts)
    _set_item(elements, name, wrap_or_unwrap(value))
    _TupleWrapper.__init__(parts, tuple(elements))


def _set_key(values: Any, name: str, value: Any) -> None:
    values[name] = value


def _set_signature(signatures: SignatureMap, name: str, value: Any) -> None:
    signatures.add(name, value)


def set_attribute(target: Any, name: str, value: Any) -> None:
    """Sets an attribute, and makes the object callable if that is `__call__`."""
    setattr(target, name, value)
    if name == "__call__":
        make_callable(target)


_KINDS: dict[str, tuple[Callable[[], Any], Setter]] = {
    "signature_map": (SignatureMap, _set_signature),
    "trackable_dict_wrapper": (lambda: _DictWrapper({}), _set_key),
    "trackable_list_wrapper": (lambda: ListWrapper([]), _set_item),
    "trackable_tuple_wrapper": (lambda: _TupleWrapper(()), _set_part),
}


def made(message: Any) -> tuple[Any, Setter]:
    """An object of the kind that `message` names, and the function that gives it a child."""
    registration = registration_of(message)
    if registration is not None:
        return registration.from_proto(message), registration.setter
    make, setter = _KINDS.get(message.identifier, (user_object, set_attribute))
    return make(), setter
