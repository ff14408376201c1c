"""Collections: named lists. In eager programs they hold only values added explicitly; variables are not added."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import int64
from tfcompat._ops.array.creation import zeros
from tfcompat._ops.elementwise.algebraic import add
from tfcompat._state.scope import name_scope
from tfcompat._state.variable import Variable


class GraphKeys:
    """The names of TensorFlow's own collections. Source: TF 2.21 `tf.compat.v1.GraphKeys`."""

    ACTIVATIONS = "activations"
    ASSET_FILEPATHS = "asset_filepaths"
    BIASES = "biases"
    CONCATENATED_VARIABLES = "concatenated_variables"
    COND_CONTEXT = "cond_context"
    EVAL_STEP = "eval_step"
    GLOBAL_STEP = "global_step"
    GLOBAL_VARIABLES = "variables"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    LOCAL_RESOURCES = "local_resources"
    LOCAL_VARIABLES = "local_variables"
    LOSSES = "losses"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    QUEUE_RUNNERS = "queue_runners"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    READY_OP = "ready_op"
    REGULARIZATION_LOSSES = "regularization_losses"
    RESOURCES = "resources"
    SAVEABLE_OBJECTS = "saveable_objects"
    SAVERS = "savers"
    SUMMARIES = "summaries"
    SUMMARY_OP = "summary_op"
    TABLE_INITIALIZERS = "table_initializer"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    TRAIN_OP = "train_op"
    UPDATE_OPS = "update_ops"
    VARIABLES = "variables"
    WEIGHTS = "weights"
    WHILE_CONTEXT = "while_context"


_collections: dict[Any, list[Any]] = {}


def clear() -> None:
    """Empties all collections."""
    _collections.clear()


def clear_collection(key: Any) -> None:
    """Empties the collection `key`."""
    _collections.pop(key, None)


def keys() -> list[Any]:
    """The keys of the collections that are not empty."""
    return [key for key, values in _collections.items() if values]


def add_to_collection(name: Any, value: Any) -> None:
    """Appends `value` to the collection `name`.

    Source: TF 2.21 `tf.compat.v1.add_to_collection`.
    """
    get_collection_ref(name).append(value)


def add_to_collections(names: Any, value: Any) -> None:
    """Appends `value` to each of the collections `names`, or to a single one.

    Source: TF 2.21 `tf.compat.v1.add_to_collections`.
    """
    for name in [names] if isinstance(names, str) or not isinstance(names, Iterable) else dict.fromkeys(names):
        add_to_collection(name, value)


def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """The items of the collection `key`; with `scope`, those with names that begin with this pattern.

    Source: TF 2.21 `tf.compat.v1.get_collection`.
    """
    found = _collections.get(key, [])
    if scope is None:
        return list(found)
    return [value for value in found if hasattr(value, "name") and re.match(scope, value.name)]


def get_collection_ref(key: Any) -> list[Any]:
    """The list of the collection `key` itself, which may be changed.

    Source: TF 2.21 `tf.compat.v1.get_collection_ref`.
    """
    return _collections.setdefault(key, [])


def global_variables(scope: str | None = None) -> list[Any]:
    """The items added to the global variables; see `get_collection` for `scope`.

    Source: TF 2.21 `tf.compat.v1.global_variables`.
    """
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def all_variables() -> list[Any]:
    """The same as `global_variables`.

    Source: TF 2.21 `tf.compat.v1.all_variables`.
    """
    return global_variables()


def trainable_variables(scope: str | None = None) -> list[Any]:
    """The items added to the trainable variables; see `get_collection` for `scope`.

    Source: TF 2.21 `tf.compat.v1.trainable_variables`.
    """
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def local_variables(scope: str | None = None) -> list[Any]:
    """The items added to the local variables; see `get_collection` for `scope`.

    Source: TF 2.21 `tf.compat.v1.local_variables`.
    """
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list[Any]:
    """The items added to the model variables; see `get_collection` for `scope`.

    Source: TF 2.21 `tf.compat.v1.model_variables`.
    """
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)


def moving_average_variables(scope: str | None = None) -> list[Any]:
    """The items added to the moving averages; see `get_collection` for `scope`.

    Source: TF 2.21 `tf.compat.v1.moving_average_variables`.
    """
    return get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def get_global_step(graph: Any = None) -> Variable | None:
    """The variable that counts steps; None if it has not been created.

    Source: TF 2.21 `tf.compat.v1.train.get_global_step`.
    """
    _require_no_graph(graph)
    return next(iter(get_collection(GraphKeys.GLOBAL_STEP)), None)


def create_global_step(graph: Any = None) -> Variable:
    """Creates the variable that counts steps.

    Raises: ValueError if it exists; NotImplementedError for a `graph`.
    Source: TF 2.21 `tf.compat.v1.train.create_global_step`.
    """
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with name_scope(""):
        step = Variable(zeros((), int64), trainable=False, name="global_step")
    add_to_collection(GraphKeys.GLOBAL_STEP, step)
    return step


def get_or_create_global_step(graph: Any = None) -> Variable:
    """The variable that counts steps, created if it does not exist.

    Raises: NotImplementedError for a `graph`.
    Source: TF 2.21 `tf.compat.v1.train.get_or_create_global_step`.
    """
    found = get_global_step(graph)
    return create_global_step() if found is None else found


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """The number in `global_step_tensor`; `sess` is ignored.

    Source: TF 2.21 `tf.compat.v1.train.global_step`.
    """
    del sess
    return int(global_step_tensor)


def get_losses(scope: str | None = None, loss_collection: Any = GraphKeys.LOSSES) -> list[Any]:
    """The items added to `loss_collection`; see `get_collection` for `scope`.

    Source: TF 2.21 `tf.compat.v1.losses.get_losses`.
    """
    return get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """The items added to the regularization losses; see `get_collection` for `scope`.

    Source: TF 2.21 `tf.compat.v1.losses.get_regularization_losses`.
    """
    return get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(scope: str | None = None, name: str = "total_regularization_loss") -> Tensor:
    """The sum of `get_regularization_losses`; 0 if that is empty.

    Source: TF 2.21 `tf.compat.v1.losses.get_regularization_loss`.
    """
    del name
    total = convert_to_tensor(0.0)
    for loss in get_regularization_losses(scope):
        total = add(total, loss)
    return total


def _require_no_graph(graph: Any) -> None:
    if graph is not None:
        raise NotImplementedError("tf.compat.v1.train: there are no graphs that could hold a step; leave graph out.")
