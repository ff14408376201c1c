"""Makes `import tensorflow` import tfcompat, by a finder at the front of `sys.meta_path`."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import sys
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system import shortfall
from tfcompat._dropin.absent import absent
from tfcompat._dropin.keras import KERAS_COPY, choose_backend, keras_package, older_module, original_of
from tfcompat._dropin.private.facade import has_facade, make_facade
from tfcompat._dropin.refused import refused
from tfcompat._dropin.release import distributions_named
from tfcompat._state.variable import Variable

_OURS = __name__.partition(".")[0]
_THEIRS = "tensorflow"
_KERAS_HERE = f"{_OURS}.keras"
# TensorFlow's alias for TensorFlow 2 itself.
_VERSION_2 = f"{_THEIRS}.compat.v2"
# Libraries for several frameworks find the framework of an array in the name of the module of its class.
_RECOGNISED = {
    Tensor: f"{_THEIRS}.python.framework.ops",
    Variable: f"{_THEIRS}.python.ops.variables",
}


def install_as_tensorflow() -> None:
    """Makes `import tensorflow`, and imports of its submodules, import tfcompat and its namespaces.

    The classes of tensors and variables then name the modules of TensorFlow's.

    Raises: ImportError if the real TensorFlow has been imported already.
    """
    present = sys.modules.get(_THEIRS)
    if present is not None and present is not sys.modules[_OURS]:
        raise ImportError(
            f"tfcompat.install_as_tensorflow: tensorflow has been imported already, from {present.__file__}; "
            "call install_as_tensorflow before the first `import tensorflow`."
        )
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    for kind, module in _RECOGNISED.items():
        kind.__module__ = module


def target_of(name: str) -> str | None:
    """The module of tfcompat for TensorFlow's module `name`; None for other modules."""
    for root in (_VERSION_2, _THEIRS):
        if name == root or name.startswith(f"{root}."):
            return _OURS + name.removeprefix(root)
    return None


class _Alias(importlib.abc.Loader):
    """Loads a module under another name."""

    def __init__(self, target: str) -> None:
        self._target = target

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        del spec
        module = importlib.import_module(self._target)
        self._own_spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The import system has written the alias's spec over the module's own.
        module.__spec__ = self._own_spec


class _Facade(importlib.abc.Loader):
    """Loads a private module of TensorFlow whose names have public counterparts."""

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return make_facade(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Does nothing: names are resolved when they are asked for."""


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        del target
        ours = target_of(fullname)
        if ours is None:
            if fullname.startswith(f"{_KERAS_HERE}."):
                return self._keras(fullname, fullname)
            if fullname.startswith(f"{_OURS}."):
                self._explain(fullname, path)
            elif fullname == "keras" or fullname.startswith("keras."):
                choose_backend()
                older = older_module(fullname, path)
                return None if older is None else self._alias(fullname, older)
            return None
        if fullname == KERAS_COPY or fullname.startswith(f"{KERAS_COPY}."):
            return self._alias(fullname, original_of(fullname))
        if has_facade(fullname):
            return importlib.machinery.ModuleSpec(fullname, _Facade(), is_package=True)
        if ours.startswith(_KERAS_HERE):
            return self._keras(fullname, ours)
        if any(part.startswith("_") for part in ours.split(".")):
            return self._refuse(fullname)
        try:
            found = importlib.util.find_spec(ours)
        except ModuleNotFoundError:
            found = None
        if found is None and isinstance(namespace := refused(ours.partition(".")[2]), ModuleType):
            found = namespace.__spec__
        if found is None:
            return self._refuse(fullname)
        spec = importlib.machinery.ModuleSpec(fullname, _Alias(ours), origin=found.origin)
        spec.submodule_search_locations = found.submodule_search_locations
        return spec

    def find_distributions(
        self, context: importlib.metadata.DistributionFinder.Context | None = None
    ) -> Iterable[importlib.metadata.Distribution]:
        """The distributions for `importlib.metadata`, beside those of other finders."""
        return distributions_named(None if context is None else context.name)

    def _keras(self, name: str, ours: str) -> importlib.machinery.ModuleSpec:
        """The spec of `tensorflow.keras`, or of a module in it. Raises ModuleNotFoundError if Keras is missing."""
        importlib.import_module(_KERAS_HERE)
        return self._alias(name, keras_package() + ours.removeprefix(_KERAS_HERE))

    def _alias(self, name: str, target: str) -> importlib.machinery.ModuleSpec:
        """The spec of `name` for the module `target` of Keras. Raises ModuleNotFoundError for a missing one."""
        found = importlib.util.find_spec(target)
        if found is None:
            raise ModuleNotFoundError(f"No module named {name!r}: Keras has no such module", name=name)
        spec = importlib.machinery.ModuleSpec(name, _Alias(target), origin=found.origin)
        spec.submodule_search_locations = found.submodule_search_locations
        return spec

    def _explain(self, name: str, path: Sequence[str] | None) -> None:
        """Raises ModuleNotFoundError with the message of the attribute `name`, if tfcompat has no such module.

        `from tensorflow import keras` imports tfcompat.keras. If it were merely not found, Python's message would only
        say that it cannot import the name, and the same if the error named tfcompat.keras.
        """
        parent, _, last = name.rpartition(".")
        if last.startswith("_") or importlib.machinery.PathFinder.find_spec(name, path) is not None:
            return
        try:
            getattr(sys.modules[parent], last)
        except AttributeError as error:
            if error.obj is None:  # Otherwise Python suggests a similar name.
                raise ModuleNotFoundError(str(error), name=_THEIRS + name.removeprefix(_OURS)) from None

    def _refuse(self, name: str) -> None:
        """Raises ModuleNotFoundError, so that no other finder looks for TensorFlow's files."""
        if name.startswith((f"{_THEIRS}.python", f"{_THEIRS}.core", f"{_THEIRS}._")):
            reason = "that is private to TensorFlow, and tfcompat has only its public names"
            shortfall.note(f"the module {name} is private to TensorFlow")
        else:
            reason = absent(name.partition(".")[2])
        raise ModuleNotFoundError(f"No module named {name!r}: {reason}", name=name)


_finder = _Finder()
