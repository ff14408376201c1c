"""`tf_export` and `keras_export`: the decorators by which libraries give their functions public names."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

# The exported objects by name; those for version 1 begin with `compat.v1.`.
_by_name: dict[str, Any] = {}


class exported:  # it is used as a decorator
    """A decorator that notes the public names of a function or class.

    Args:
      names: the names, the usual one first.
      v1: the names in version 1, if they are others.
      api_name: "tensorflow" or "keras".

    Source: TF 2.21, `tf_export` of `tensorflow.python.util.tf_export`.
    """

    def __init__(
        self, *names: str, v1: Sequence[str] | None = None, allow_multiple_exports: bool = True, api_name: str = ""
    ) -> None:
        del allow_multiple_exports
        self._names = names
        self._names_of_first_version = names if v1 is None else tuple(v1)
        self._attribute = _attribute_of(api_name or "tensorflow")

    def __call__(self, decorated: Any) -> Any:
        """`decorated`, which can be found by its names."""
        setattr(decorated, self._attribute, self._names)
        setattr(decorated, f"{self._attribute}_v1", self._names_of_first_version)
        _by_name.update(dict.fromkeys(self._names, decorated))
        _by_name.update({f"compat.v1.{name}": decorated for name in self._names_of_first_version})
        return decorated

    def export_constant(self, module_name: str, name: str) -> None:
        """Leaves the constant `name` of the module `module_name` as it is: constants have no attributes for names."""


keras_exported = functools.partial(exported, api_name="keras")


def _attribute_of(api_name: str) -> str:
    return {"tensorflow": "_tf_api_names", "keras": "_keras_api_names"}[api_name]


def exported_name(symbol: Any, api_name: str, prefixes_first_version: bool) -> str | None:
    """The first name under which `symbol` itself was exported; None without one."""
    attribute = _attribute_of(api_name)
    own = getattr(symbol, "__dict__", {})
    if own.get(attribute):
        return own[attribute][0]
    if own.get(f"{attribute}_v1"):
        name = own[f"{attribute}_v1"][0]
        return f"compat.v1.{name}" if prefixes_first_version else name
    return None


def exported_object(name: str) -> Any:
    """The object that was exported under `name`; None without one."""
    return _by_name.get(name)
