"""`tf.saved_model.save`."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterable
from typing import Any

from tfcompat._core.tracing.trace import here
from tfcompat._data.format.file_error import make_folders, translated
from tfcompat._data.storage.saving import local_path
from tfcompat._dropin.release import TENSORFLOW
from tfcompat._jaxpr.postponement import postponed
from tfcompat._keras.object_identity import ObjectIdentityDictionary
from tfcompat._saved.object_view import name_of
from tfcompat._saved.saving import ATTRIBUTES, gathered, written
from tfcompat._saved_model.messages.constant import (
    ASSETS_DIRECTORY,
    SAVED_MODEL_FILENAME_PB,
    SAVED_MODEL_SCHEMA_VERSION,
    SERVING,
    VARIABLES_DIRECTORY,
    VARIABLES_FILENAME,
)
from tfcompat._saved_model.messages.fingerprint import FINGERPRINT_FILENAME, fingerprint_bytes
from tfcompat._saved_model.messages.message import messages
from tfcompat._saved_model.objects.graph_writer import GraphWriter
from tfcompat._saved_model.objects.object_writer import ObjectWriter
from tfcompat._saved_model.objects.options import SaveOptions
from tfcompat._state.tracking.trackable import Trackable
from tfcompat._state.variable import SAVED, Variable


def save(obj: Any, export_dir: Any, signatures: Any = None, options: SaveOptions | None = None) -> None:
    """Writes the object `obj`, with the variables, functions and files that it depends on, to the folder `export_dir`.

    A function is saved for each kind of call that it was traced for, with an input signature for that one. It is a
    program (StableHLO) for CPU, GPU and TPU, for any size that its specs leave open, with its gradient: here and in
    TensorFlow it runs without its Python code. `signatures` is a function, or a dictionary of functions: with input
    signatures, or concrete ones. By default it is the only function of `obj` that has a signature.

    Raises: ValueError if `obj` or a part is not trackable, or for functions without signatures; AssertionError inside
      a tf.function, and if a function uses a variable that `obj` does not depend on; NotFoundError or another of
      `tf.errors` if a file cannot be read or written; NotImplementedError for functions that cannot be programs: those
      that call Python, take variables or tensors of open rank, and those with ops of strings or of open sizes for
      which there are no kernels.
    Source: TF 2.21 `tf.saved_model.save`.
    """
    _save(obj, export_dir, signatures, options)


def save_and_return_nodes(
    obj: Any, export_dir: Any, signatures: Any = None, options: SaveOptions | None = None
) -> tuple[list[Any], ObjectIdentityDictionary]:
    """As `save`. Returns the objects in the order of their numbers, and the references that lead to each.

    Source: TF 2.21, `save_and_return_nodes` of `tensorflow.python.saved_model.save`.
    """
    visits = _save(obj, export_dir, signatures, options).visits()
    paths = ObjectIdentityDictionary()
    for visit in visits:
        paths[visit.trackable] = visit.path
    return [visit.trackable for visit in visits], paths


def _save(obj: Any, export_dir: Any, signatures: Any, options: SaveOptions | None) -> ObjectWriter:
    if not isinstance(obj, Trackable):
        raise ValueError(
            "Expected an object of type `Trackable`, such as `tf.Module` or a subclass of the `Trackable` class, for "
            f"export. Got {obj} with type {type(obj)}."
        )
    if here.graph is not None:
        raise AssertionError(
            "`tf.saved_model.save` is not supported inside a traced @tf.function. Move the call to the outer "
            "eagerly-executed context."
        )
    chosen = options or SaveOptions()
    folder = local_path(os.fspath(export_dir), "tf.saved_model.save")
    model = messages()["SavedModel"](saved_model_schema_version=SAVED_MODEL_SCHEMA_VERSION)
    graph = model.meta_graphs.add()
    graph.meta_info_def.tags.extend([SERVING, *(chosen.extra_tags or ())])
    graph.meta_info_def.tensorflow_version = TENSORFLOW
    graph.meta_info_def.stripped_default_attrs = True
    objects = ObjectWriter(graph, obj, signatures, chosen)
    objects.write()
    contents = gathered(objects.visits())
    nodes = GraphWriter(graph, objects.variables, objects.tables, objects.assets)
    for name, signature in objects.signatures.items():
        nodes.add_signature(name, signature)
    if not chosen.experimental_skip_saver:
        nodes.add_saver(dict(_keys(objects)))
    with translated(folder):
        _store(folder, model, contents, objects.assets, chosen)
    return objects


def _keys(objects: ObjectWriter) -> Iterable[tuple[str, Variable]]:
    """The names of variables in the checkpoint."""
    for number, visit in enumerate(objects.visits()):
        if number in objects.variables:
            yield f"{name_of(visit.path)}/{ATTRIBUTES}{SAVED}", objects.variables[number]


def _store(folder: str, model: Any, contents: Any, assets: dict[str, str], options: SaveOptions) -> None:
    """Writes the files beside those of an older model, which they then replace; the folder never has parts of both."""
    make_folders(folder)
    stage = os.path.join(folder, f"_tempstate-{secrets.token_hex(8)}")
    os.mkdir(stage)
    try:
        os.mkdir(os.path.join(stage, ASSETS_DIRECTORY))
        prefix = os.path.join(stage, VARIABLES_DIRECTORY, VARIABLES_FILENAME)
        written(prefix, contents, options.experimental_sharding_callback)
        for path, name in assets.items():
            shutil.copyfile(path, os.path.join(stage, ASSETS_DIRECTORY, name))
        with open(f"{prefix}.index", "rb") as file:
            fingerprint = fingerprint_bytes(model, file.read())
        _write(os.path.join(stage, FINGERPRINT_FILENAME), fingerprint)
        _write(os.path.join(stage, SAVED_MODEL_FILENAME_PB), model.SerializeToString(deterministic=True))
        # Between these calls, which take no time, there is no model in the folder: a signal handler waits for the end.
        with postponed():
            _exchange(stage, folder)
    finally:
        with postponed():
            shutil.rmtree(stage, ignore_errors=True)


def _write(path: str, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _exchange(stage: str, folder: str) -> None:
    """Moves the model in `stage` to `folder`, and an older model there to a folder in `stage`.

    The file that makes the folder a model is moved away first, and comes last.
    """
    away = os.path.join(stage, "replaced")
    os.mkdir(away)
    done: list[tuple[str, str]] = []
    parts = (SAVED_MODEL_FILENAME_PB, FINGERPRINT_FILENAME, VARIABLES_DIRECTORY, ASSETS_DIRECTORY)
    moves = [(folder, away, name) for name in parts] + [(stage, folder, name) for name in reversed(parts)]
    try:
        for source, target, name in moves:
            paths = os.path.join(source, name), os.path.join(target, name)
            if source is not folder or os.path.exists(paths[0]):
                os.rename(*paths)
                done.append(paths)
    except OSError:
        for before, after in reversed(done):
            os.rename(after, before)
        raise
