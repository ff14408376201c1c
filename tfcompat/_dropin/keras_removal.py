"""Names of Keras 2 that Keras 3 lacks, each with its replacement. TensorFlow 2.16 and later lack them too."""

from __future__ import annotations

_LEGACY = "TF_USE_LEGACY_KERAS=1 makes tf.keras the package tf_keras, which is Keras 2"
_GENERATOR = "`fit`, `evaluate` and `predict` take generators"
_SLOTS = "Keras 3 optimizers make variables in `build` and update them in `update_step`"
_NODES = "read `input` and `output`, or build the model again from its layers"
_QUEUE = "pass it to the constructor of the keras.utils.PyDataset"
_SESSION = "Keras 3 has no sessions and no graphs: call the functions"

# Symbols without `tf.`; names below one of them have the same replacement.
SYMBOLS = {
    "keras.experimental.CosineDecay": "use tf.keras.optimizers.schedules.CosineDecay",
    "keras.experimental.CosineDecayRestarts": "use tf.keras.optimizers.schedules.CosineDecayRestarts",
    "keras.experimental": _LEGACY,
    "keras.optimizers.legacy": "use the optimizer of the same name in tf.keras.optimizers",
    "keras.optimizers.experimental": "use the optimizer of the same name in tf.keras.optimizers",
    "keras.layers.experimental.preprocessing": "use the layer of the same name in tf.keras.layers",
    "keras.layers.experimental.SyncBatchNormalization": "use tf.keras.layers.BatchNormalization(synchronized=True)",
    "keras.layers.experimental.RandomFourierFeatures": _LEGACY,
    "keras.layers.experimental": "use the layer of the same name in tf.keras.layers",
    "keras.mixed_precision.experimental.set_policy": "use tf.keras.mixed_precision.set_global_policy",
    "keras.mixed_precision.experimental": "use the name in tf.keras.mixed_precision",
    "keras.callbacks.experimental": "use the name in tf.keras.callbacks",
    "keras.utils.experimental": "use the name in tf.keras.utils",
    "keras.utils.np_utils": "use the name in tf.keras.utils",
    "keras.models.model_from_yaml": "use tf.keras.models.model_from_json",
    "keras.losses.mean_squared_error": "use tf.keras.losses.MeanSquaredError, or tf.keras.losses.MSE",
    "keras.losses.mean_absolute_error": "use tf.keras.losses.MeanAbsoluteError, or tf.keras.losses.MAE",
    "keras.metrics.MeanRelativeError": _LEGACY,
    "keras.layers.AbstractRNNCell": "derive the cell from tf.keras.layers.Layer, with `state_size` and `output_size`",
    "keras.layers.CuDNNGRU": "use tf.keras.layers.GRU",
    "keras.layers.CuDNNLSTM": "use tf.keras.layers.LSTM",
    "keras.layers.DenseFeatures": "use Keras preprocessing layers",
    "keras.layers.LocallyConnected1D": _LEGACY,
    "keras.layers.LocallyConnected2D": _LEGACY,
    "keras.backend.function": "use a tf.keras.Model with the same inputs and outputs, or tf.function",
    "keras.backend.get_session": _SESSION,
    "keras.backend.set_session": _SESSION,
    "keras.backend.manual_variable_initialization": _SESSION,
    "keras.backend.symbolic_learning_phase": "pass `training` to the call of the layer",
    "keras.backend.in_train_phase": "pass `training` to the call of the layer",
    "keras.backend.learning_phase": "pass `training` to the call of the layer",
    "keras.backend.learning_phase_scope": "pass `training` to the call of the layer",
    "keras.backend.set_learning_phase": "pass `training` to the call of the layer",
    "keras.estimator": "TensorFlow has removed estimators; use `fit`",
    "keras.dtensor": "use keras.distribution",
    "keras.__internal__": _LEGACY,
}

# Attributes of models, layers, metrics and optimizers.
ATTRIBUTES = {
    "reset_states": "a metric, and a stateful layer, has `reset_state`",
    "compiled_loss": "use `compute_loss(x, y, y_pred, sample_weight)`",
    "compiled_metrics": "call `update_state` of each of `model.metrics`, or `compute_metrics`",
    "predict_classes": "use tf.argmax(model.predict(x), -1)",
    "predict_proba": "use `predict`",
    "fit_generator": _GENERATOR,
    "evaluate_generator": _GENERATOR,
    "predict_generator": _GENERATOR,
    "add_update": "assign the variables in `call`",
    "get_input_at": _NODES,
    "get_output_at": _NODES,
    "get_input_shape_at": _NODES,
    "get_output_shape_at": _NODES,
    "state_updates": "variables are assigned when a layer is called",
    "to_yaml": "use `to_json`",
    "get_scaled_loss": "use `scale_loss` of the optimizer",
    "get_unscaled_gradients": "`apply` of the optimizer divides the gradients",
    "_get_hyper": "keep the number as an attribute of the optimizer",
    "_set_hyper": "keep the number as an attribute of the optimizer",
    "_create_slots": _SLOTS,
    "_resource_apply_dense": _SLOTS,
    "_resource_apply_sparse": _SLOTS,
    "_decayed_lr": "read `learning_rate`",
}

# Attributes of objects whose name contains a word.
ATTRIBUTES_OF = {
    ("opt", "lr"): "use `learning_rate`; an assignment to `lr` changes nothing",
    ("opt", "minimize"): "compute gradients with a tape, and call `apply_gradients`",
    ("opt", "get_gradients"): "use tf.GradientTape",
    ("opt", "get_updates"): "compute gradients with a tape, and call `apply_gradients`",
    ("opt", "weights"): "use `variables`",
    ("opt", "get_weights"): "use [v.numpy() for v in optimizer.variables]",
}

# Keyword arguments: namespace of the callable, or its method, and the keyword.
ARGUMENTS = {
    ("keras.optimizers.", "lr"): "use `learning_rate`",
    ("keras.optimizers.", "decay"): "it is ignored; use tf.keras.optimizers.schedules",
    ("keras.layers.", "batch_input_shape"): "begin the model with tf.keras.Input(batch_shape=...)",
    ("keras.layers.", "dynamic"): "compile the model with run_eagerly=True",
    ("keras.layers.", "time_major"): "transpose the inputs",
    ("keras.layers.Embedding", "weights"): "use embeddings_initializer=tf.keras.initializers.Constant(array)",
    ("keras.layers.BatchNormalization", "fused"): "leave it out",
    ("keras.layers.BatchNormalization", "virtual_batch_size"): "leave it out",
    ("keras.callbacks.ModelCheckpoint", "period"): "use `save_freq`",
    ("keras.callbacks.TensorBoard", "write_grads"): "leave it out",
    (".fit", "workers"): _QUEUE,
    (".fit", "use_multiprocessing"): _QUEUE,
    (".fit", "max_queue_size"): _QUEUE,
    (".compile", "sample_weight_mode"): "leave it out: weights of any shape are accepted",
    (".compile", "experimental_run_tf_function"): "leave it out",
}

_LAYERS = "keras.layers.experimental.preprocessing."
# Layers that no longer have their old name.
SYMBOLS[f"{_LAYERS}CategoryCrossing"] = "use tf.keras.layers.HashedCrossing"


def replaced_symbol(symbol: str) -> str:
    """The replacement for the Keras 2 name `symbol`, written without `tf.`; empty if Keras 3 may have it."""
    parts = symbol.split(".")
    above = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((SYMBOLS[name] for name in above if name in SYMBOLS), "")


def replaced_attribute(owner: str, name: str) -> str:
    """The replacement for the attribute `name` of an object that the program calls `owner`; empty if Keras 3 has it."""
    if name in ATTRIBUTES:
        return ATTRIBUTES[name]
    return next((way for (word, attribute), way in ATTRIBUTES_OF.items() if attribute == name and word in owner), "")


def replaced_argument(function: str, keyword: str) -> str:
    """The replacement for the argument `keyword` of `function`, a symbol or `.method`; empty if Keras 3 takes it."""
    return next((way for (of, name), way in ARGUMENTS.items() if name == keyword and function.startswith(of)), "")
