"""`tf.saved_model.load` and `contains_saved_model`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from tfcompat._autodiff.suspension import init_scope
from tfcompat._core.system.error import NotFoundError
from tfcompat._core.tracing.trace import here
from tfcompat._core.types import nest
from tfcompat._data.format.file_error import translated
from tfcompat._data.storage.saving import local_path
from tfcompat._saved_model.messages.constant import SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT
from tfcompat._saved_model.messages.message import saved_model_of
from tfcompat._saved_model.objects.loading import Loading
from tfcompat._saved_model.objects.options import LoadOptions
from tfcompat._saved_model.objects.restored_object import UserObject


def contains_saved_model(export_dir: Any) -> bool:
    """Whether the folder `export_dir` has the file of a SavedModel.

    Source: TF 2.21 `tf.saved_model.contains_saved_model`.
    """
    folder = local_path(os.fspath(export_dir), "tf.saved_model.contains_saved_model")
    names = (SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT)
    return any(os.path.isfile(os.path.join(folder, name)) for name in names)


def load(export_dir: Any, tags: Any = None, options: LoadOptions | None = None) -> Any:
    """The object that `tf.saved_model.save` has written to the folder `export_dir`, here or in TensorFlow.

    It has the attributes of the saved object: variables, functions, tables, files, modules (as plain objects), and
    lists, dictionaries and tuples of these. `signatures` are functions of tensors by name. A function that TensorFlow
    has saved is interpreted once for each kind of call, and is then a program through which tapes differentiate.

    Raises: OSError if the folder has no SavedModel; FileNotFoundError without its checkpoint; DataLossError if a file
      is corrupted; ValueError for other `tags`; NotImplementedError for SavedModels of TensorFlow 1 and as text, and,
      when a function is called, if it needs kernels that do not exist here: then all of these are listed.
    Source: TF 2.21 `tf.saved_model.load`.
    """
    chosen = options or LoadOptions()
    folder = local_path(os.fspath(export_dir), "tf.saved_model.load")
    if here.graph is not None:
        raise NotImplementedError(
            "tf.saved_model.load: not supported inside a tf.function; load the model outside, and call it inside."
        )
    model = parse_saved_model(folder)
    if len(model.meta_graphs) != 1 or not model.meta_graphs[0].HasField("object_graph_def"):
        raise NotImplementedError(
            f"tf.saved_model.load: {folder} is a SavedModel of TensorFlow 1, which has no functions. Its variables are "
            "read by tf.train.load_checkpoint; to have its functions, save it with TensorFlow 2."
        )
    graph = model.meta_graphs[0]
    wanted = tags if tags is None or isinstance(tags, set) else nest.flatten(tags)
    if wanted is not None and set(wanted) != set(graph.meta_info_def.tags):
        raise ValueError(
            f"Got an incompatible argument to `tags`: {tags}. The SavedModel at {export_dir} has one MetaGraph with "
            f"tags {list(graph.meta_info_def.tags)}. You may omit the argument, pass 'None', or pass matching tags."
        )
    loading = loaded(folder, graph, chosen)
    root = loading.objects[0]
    if isinstance(root, UserObject):
        root.tensorflow_version = graph.meta_info_def.tensorflow_version
        if chosen.experimental_load_function_aliases:
            root.function_aliases = loading.aliases()
    return root


def loaded(folder: str, graph: Any, options: LoadOptions, given: Mapping[int, Any] | None = None) -> Loading:
    """The objects of `graph`; for `given` see `Loading`. Raises FileNotFoundError without the checkpoint."""
    with init_scope():
        try:
            return Loading(folder, graph, is_partial=options.allow_partial_checkpoint, given=given)
        except NotFoundError as missing:
            raise FileNotFoundError(str(missing)) from missing


def parse_saved_model(export_dir: Any) -> Any:
    """The message `SavedModel` in the folder `export_dir`.

    Raises: OSError without the file; DataLossError for a corrupted one; NotImplementedError for one as text.
    Source: TF 2.21 `tf.__internal__.saved_model.parse_saved_model`.
    """
    folder = local_path(os.fspath(export_dir), "tf.__internal__.saved_model.parse_saved_model")
    return saved_model_of(_content(folder), f"the SavedModel in {folder}")


def _content(folder: str) -> bytes:
    path = os.path.join(folder, SAVED_MODEL_FILENAME_PB)
    if not os.path.isfile(path):
        text = os.path.join(folder, SAVED_MODEL_FILENAME_PBTXT)
        if os.path.isfile(text):
            raise NotImplementedError(
                f"tf.saved_model.load: {text} is a SavedModel as text; load and save it with TensorFlow."
            )
        raise OSError(
            f"SavedModel file does not exist at: {folder}{os.path.sep}"
            f"{{{SAVED_MODEL_FILENAME_PBTXT}|{SAVED_MODEL_FILENAME_PB}}}"
        )
    with translated(path), open(path, "rb") as file:
        return file.read()
