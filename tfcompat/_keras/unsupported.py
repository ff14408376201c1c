"""Private functions of TensorFlow that Keras 2 imports, for features that are not supported."""

from __future__ import annotations

from typing import Any, NoReturn

from tfcompat._dropin.refused import Refused

_CLUSTER = "tf.train.ClusterSpec describes a cluster; its as_dict() has the addresses."

CallableOptions = Refused(
    "tensorflow.core.protobuf.config_pb2.CallableOptions", "Sessions are not supported: call the function."
)
Convolution = Refused("tensorflow.python.ops.nn_ops.Convolution", "Use tf.nn.convolution.")
add_operators = Refused(
    "tensorflow.python.ops.linalg.linear_operator_addition.add_operators",
    "Add the matrices: `a.to_dense() + b.to_dense()`.",
)
variadic_reduce = Refused("tensorflow.compiler.tf2xla.python.xla.variadic_reduce", "Use the reductions of tf.math.")
_FROZEN = "tf.saved_model.save writes a function with its variables; `python -m tfcompat guide saved_models`."
convert_variables_to_constants_v2 = Refused(
    "tensorflow.python.framework.convert_to_constants.convert_variables_to_constants_v2", _FROZEN
)
convert_variables_to_constants_v2_as_graph = Refused(
    "tensorflow.python.framework.convert_to_constants.convert_variables_to_constants_v2_as_graph", _FROZEN
)
parameterized_truncated_normal = Refused(
    "tensorflow.python.ops.random_ops.parameterized_truncated_normal",
    "Use tf.random.stateless_parameterized_truncated_normal.",
)
ClusterDef = Refused("tensorflow.core.protobuf.cluster_pb2.ClusterDef", _CLUSTER)

ShardedVariable = Refused(
    "tf.__internal__.distribute.ShardedVariable", "Divide a variable over several devices with tf.shard."
)
get_config = Refused("tensorflow.python.eager.context.get_config", "tf.config has the settings.")


def auto_shard_dataset(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError. Source: TF 2.21, `tensorflow.python.distribute.input_ops.auto_shard_dataset`."""
    del args, kwargs
    raise NotImplementedError(
        "Sharding a dataset between the parameter servers of Keras 2 is not supported; use tf.data.Dataset.shard."
    )


def cache_variable_reads() -> NoReturn:
    """Raises NotImplementedError. Source: TF 2.21, `tensorflow.python.distribute.distribute_utils`."""
    raise NotImplementedError("Parameter servers are not supported; use tf.distribute.MirroredStrategy.")


class RNNCell:
    """The class that the recurrent cells of TensorFlow 1 derive from. Modules that define such cells can be imported.

    Raises: NotImplementedError if a cell is made.
    Source: TF 2.21 `tf.compat.v1.nn.rnn_cell.RNNCell`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        del args, kwargs
        raise NotImplementedError(
            "RNNCell: cells of TensorFlow 1 are not supported; derive from a layer of Keras, for tf.keras.layers.RNN."
        )
