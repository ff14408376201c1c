"""SavedModels some of whose objects exist already: Keras 2 makes its layers, and loads everything else."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from tfcompat._data.storage.saving import local_path
from tfcompat._saved_model.directories.reading import loaded, parse_saved_model
from tfcompat._saved_model.messages.structured import structure_of, structured
from tfcompat._saved_model.objects.options import LoadOptions


def load_partial(
    export_dir: Any, filters: Mapping[str, Any], tags: Any = None, options: LoadOptions | None = None
) -> dict[str, Any]:
    """The objects of the SavedModel in the folder `export_dir` at the paths in `filters`, such as "root.layers.0".

    A value of `filters` is None, or an object that stands for the one at the path, and the function that gives it
    children. It takes the values of the checkpoint. All other objects of the model are made.

    Raises: as `tf.saved_model.load`; ValueError for a path that does not begin with "root", or has no object;
      NotImplementedError if `tags` are given, or if the root is not among the paths.
    Source: TF 2.21 `tf.__internal__.saved_model.load_partial`.
    """
    if tags is not None or "root" not in filters:
        raise NotImplementedError(
            "tf.__internal__.saved_model.load_partial: only whole models are loaded, so the root must be among the "
            "filters, and tags must be None."
        )
    folder = local_path(os.fspath(export_dir), "tf.__internal__.saved_model.load_partial")
    graph = parse_saved_model(folder).meta_graphs[0]
    numbers = {path: _number_at(path, graph.object_graph_def.nodes) for path in filters}
    given = {numbers[path]: value for path, value in filters.items() if value is not None}
    objects = loaded(folder, graph, options or LoadOptions(), given).objects
    return {path: given[number][0] if number in given else objects[number] for path, number in numbers.items()}


def _number_at(path: str, nodes: Any) -> int:
    """The number of the object at `path`. Raises ValueError without one."""
    start, *names = path.split(".")
    number = 0 if start == "root" else None
    for name in names:
        children = {} if number is None else {child.local_name: child.node_id for child in nodes[number].children}
        number = children.get(name)
    if number is None:
        raise ValueError(f"Unable to find the object at {path!r} in the SavedModel.")
    return number


def decode_proto(proto: Any) -> Any:
    """The structure that the message `proto`, a `StructuredValue`, holds.

    Source: TF 2.21 `tf.__internal__.saved_model.decode_proto`.
    """
    return structure_of(proto, "a SavedModel")


def encode_structure(nested_structure: Any) -> Any:
    """The message `StructuredValue` that holds a structure of literals and specs.

    Raises: NotImplementedError for a structure with other values.
    Source: TF 2.21 `tf.__internal__.saved_model.encode_structure`.
    """
    return structured(nested_structure)
