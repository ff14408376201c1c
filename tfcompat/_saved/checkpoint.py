"""`tf.train.Checkpoint`: saving and restoring of objects."""

from __future__ import annotations

import copy
import os
import threading
import weakref
from typing import Any

from tfcompat._core.system.config import settings
from tfcompat._core.system.error import NotFoundError
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.dtype import int64
from tfcompat._data.storage.saving import local_path
from tfcompat._jaxpr.postponement import postponed
from tfcompat._saved.background import Background
from tfcompat._saved.message import GRAPH_KEY, graph_of
from tfcompat._saved.name_based import NameBasedRestoration
from tfcompat._saved.nesting import saving
from tfcompat._saved.object_view import AttachedView, identity_of
from tfcompat._saved.options import CheckpointOptions, call_back
from tfcompat._saved.restoration import Restoration
from tfcompat._saved.saving import gathered, written
from tfcompat._saved.slot import slots_among
from tfcompat._saved.state_file import write_state
from tfcompat._saved.status import CheckpointLoadStatus, InitializationOnlyStatus, LoadStatus, NameBasedSaverStatus
from tfcompat._saved.stored_values import StoredValues
from tfcompat._state.tracking.auto_trackable import AutoTrackable
from tfcompat._state.tracking.trackable import Trackable, TrackableReference
from tfcompat._state.tracking.wrapping import NoDependency
from tfcompat._state.variable import Variable

_COUNTER = "save_counter"
# Held while a counter is made.
_making = threading.RLock()


class Checkpoint(AutoTrackable):
    """Saves objects and restores them, in TensorFlow's files.

    Args:
      root: an object whose dependencies are saved under their own names, or a weak reference to one.
      kwargs: objects that are saved under the given names: trackable ones, or lists, dictionaries and tuples of these.

    Raises: ValueError for an object that is not trackable, and for a name that is another dependency of `root`.
    Source: TF 2.21 `tf.train.Checkpoint`.
    """

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        super().__init__()
        self._background = Background()
        self._save_counter: Any = None
        attached: list[TrackableReference] = []
        owner: Any = self
        if root is not None:
            owner = root() if isinstance(root, weakref.ref) else root
            _require_trackable(owner, "root")
            self.root = root
            self._save_counter = NoDependency(owner._lookup_dependency(_COUNTER))
        for name, value in sorted(kwargs.items()):
            setattr(self, name, value)
            held = getattr(self, name)
            child = held() if isinstance(held, weakref.ref) else held
            _require_trackable(child, name)
            if owner is self:
                continue
            present = owner._lookup_dependency(name)
            if present is None:
                attached.append(TrackableReference(name, weakref.ref(child)))
            elif identity_of(present) != identity_of(child):
                raise ValueError(
                    f"Cannot create a Checkpoint with keyword argument {name} if root.{name} already exists."
                )
        if owner is not self and owner._lookup_dependency("root") is None:
            attached.append(TrackableReference("root", weakref.ref(owner)))
        self._view = AttachedView(self if owner is self else root, attached)

    @property
    def save_counter(self) -> Any:
        """A variable with the number of checkpoints that were saved."""
        if self._save_counter is None:
            # An interrupt must not leave a counter behind that is tracked and not known here.
            with postponed(), _making:
                if self._save_counter is None:  # a signal handler or another thread may have made it
                    self._make_counter()
        return self._save_counter

    def _advance(self) -> int:
        """Adds 1 to `save_counter`, and returns its value."""
        counter = self.save_counter
        here.trace.flush("checkpoint")  # here signals are handled
        with postponed():
            # A signal handler that saves gets another number; no addition of another thread is lost.
            return int(counter.assign_add(1))

    def _make_counter(self) -> None:
        counter = Variable(0, trainable=False, dtype=int64, name=_COUNTER)
        self._save_counter = NoDependency(self._track_trackable(counter, _COUNTER))
        owner = self._view.root
        if owner is not self:
            # As a strong reference: the result of `restore` needs it without this object.
            self._view.attached.append(TrackableReference(_COUNTER, counter))
            for position in owner._deferred_dependencies.pop(_COUNTER, ())[:1]:
                position.restore(counter)

    def write(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Writes a checkpoint to files that begin with `file_prefix`; returns the prefix.

        Raises: the errors of objects that cannot be saved; NotFoundError or another of `tf.errors` if the files cannot
          be written; NotImplementedError inside a tf.function. With `enable_async` the next call raises the latter,
          and the checkpoint has a `save_counter`.
        Source: TF 2.21 `tf.train.Checkpoint.write`.
        """
        if here.graph is not None:
            raise NotImplementedError(
                "tf.train.Checkpoint.write: not supported inside a tf.function; call it outside of the function."
            )
        with saving():
            return self._write(os.fsdecode(file_prefix), options)

    def _write(self, prefix: str, options: CheckpointOptions | None = None) -> str:
        """As `write`, in the context `saving`."""
        settings.is_continuing = True
        chosen = options or CheckpointOptions()
        if chosen.enable_async:
            _ = self.save_counter  # TensorFlow makes it before it copies the values
        path = local_path(prefix, "tf.train.Checkpoint.write")
        self._background.wait()
        visits = self._view.visits()
        contents = gathered(visits, slots_among(visits))
        callbacks = list(chosen.experimental_write_callbacks or ())

        def finish() -> None:
            written(path, contents, chosen.experimental_sharding_callback)
            call_back(callbacks, prefix)

        if not chosen.enable_async:
            finish()
            return prefix
        self._background.submit(finish)
        return prefix

    def save(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Writes a checkpoint with the next number, and its name to the file `checkpoint` of the folder.

        Returns: the prefix of its files, `file_prefix` with the number.
        Raises: as `write`.
        Source: TF 2.21 `tf.train.Checkpoint.save`.
        """
        if here.graph is not None:
            raise NotImplementedError(
                "Calling tf.train.Checkpoint.save() from a function is not supported; call it outside of the function."
            )
        chosen = copy.copy(options) or CheckpointOptions()
        chosen.experimental_write_callbacks = [*(chosen.experimental_write_callbacks or ()), _note_saved]
        with saving():
            return self._write(f"{os.fspath(file_prefix)}-{self._advance()}", chosen)

    def read(self, save_path: Any, options: CheckpointOptions | None = None) -> LoadStatus:
        """Restores the objects from a checkpoint of `write`, which may have no `save_counter`.

        Returns: an object by which to check which objects were restored.
        Raises: as `restore`.
        Source: TF 2.21 `tf.train.Checkpoint.read`.
        """
        if here.graph is not None:
            raise NotImplementedError(
                "tf.train.Checkpoint.read: not supported inside a tf.function; call it outside of the function."
            )
        self.sync()
        if save_path is None:
            return InitializationOnlyStatus()
        settings.is_continuing = True
        path = os.fspath(save_path)
        values = StoredValues(path)
        if GRAPH_KEY not in values.entries:
            named = NameBasedRestoration(values)
            named.restore_all(self._view)
            return NameBasedSaverStatus(named, self._view)
        restoration = Restoration(values, graph_of(values.text(GRAPH_KEY), path))
        restoration.restore_view(self._view)
        return CheckpointLoadStatus(restoration, self._view, bool(options and options.experimental_skip_slot_variables))

    def restore(self, save_path: Any, options: CheckpointOptions | None = None) -> LoadStatus:
        """Restores the objects from a checkpoint of `save`, or from the variables of a SavedModel.

        Objects that become dependencies later are restored then.

        Args:
          save_path: a prefix of files, as `save` and `tf.train.latest_checkpoint` return it; None restores nothing.

        Returns: an object by which to check which objects were restored.
        Raises: NotFoundError if there is no such checkpoint, or it lacks a tensor; DataLossError if it is corrupted;
          ValueError for another shape, InvalidArgumentError for another dtype. Then no object has changed.
        Source: TF 2.21 `tf.train.Checkpoint.restore`.
        """
        path = None if save_path is None else os.fspath(save_path)
        if path is not None and any(os.path.exists(f"{path}/saved_model.{end}") for end in ("pb", "pbtxt")):
            path = os.path.join(path, "variables", "variables")
        try:
            status = self.read(path, options)
        except NotFoundError as missing:
            raise NotFoundError.of(
                f"Error when restoring from checkpoint or SavedModel at {save_path}: {missing.message}\nPlease "
                "double-check that the path is correct. You may be missing the checkpoint suffix (e.g. the '-1' in "
                "'path/to/ckpt-1')."
            ) from missing
        counter = self.save_counter
        if isinstance(status, NameBasedSaverStatus):
            status.optional = counter
        return status

    def sync(self) -> None:
        """Waits until the files of `write` and `save` with `enable_async` are written. Raises the error of writing."""
        self._background.wait()


def _note_saved(path: str) -> None:
    write_state(os.path.dirname(path), path, [path])


def _require_trackable(value: Any, name: str) -> None:
    if not isinstance(value, Trackable):
        raise ValueError(
            f"`Checkpoint` was expecting {name} to be a trackable object (an object derived from `Trackable`), got "
            f"{value}. Variables, modules, layers and models of Keras, optimizers, tables and iterators are trackable, "
            "and lists, dictionaries and tuples."
        )
