"""Rows for the private modules of TensorFlow that only Keras 2, the package tf_keras, imports."""

from __future__ import annotations

_V1 = "compat.v1"
_DOC = "tfcompat._keras.doc_control:unchanged"
_MODE = "tfcompat._keras.mode_key"
_SOURCE = "tfcompat._keras.source_class"
_SYMBOL = "tfcompat._keras.symbol"
_UNSUPPORTED = "tfcompat._keras.unsupported"

ROWS: tuple[tuple[str, str], ...] = (
    ("core.framework.attr_value_pb2", f"AttrValue={_V1}.AttrValue"),
    ("core.protobuf.cluster_pb2", f"ClusterDef={_UNSUPPORTED}:ClusterDef"),
    ("python.data.ops.from_generator_op", f"_GeneratorDataset={_SOURCE}:GeneratorDataset"),
    ("python.data.ops.from_sparse_tensor_slices_op", f"_SparseTensorSliceDataset={_SOURCE}:HeldDataset"),
    ("python.data.ops.from_tensor_slices_op", f"_TensorSliceDataset={_SOURCE}:HeldDataset"),
    ("python.data.ops.from_tensors_op", f"_TensorDataset={_SOURCE}:HeldDataset"),
    ("python.data.ops.range_op", f"_RangeDataset={_SOURCE}:RangeDataset"),
    ("python.data.util.structure", "NoneTensorSpec"),
    ("python.distribute.distribute_utils", f"cache_variable_reads={_UNSUPPORTED}:cache_variable_reads"),
    ("python.distribute.input_ops", f"auto_shard_dataset={_UNSUPPORTED}:auto_shard_dataset"),
    (
        "python.ops.init_ops",
        f"Constant={_V1}.initializers.constant GlorotNormal={_V1}.initializers.glorot_normal "
        f"GlorotUniform={_V1}.initializers.glorot_uniform Identity={_V1}.initializers.identity "
        f"Ones={_V1}.initializers.ones Orthogonal={_V1}.initializers.orthogonal "
        f"RandomNormal={_V1}.initializers.random_normal RandomUniform={_V1}.initializers.random_uniform "
        f"TruncatedNormal={_V1}.initializers.truncated_normal "
        f"VarianceScaling={_V1}.initializers.variance_scaling Zeros={_V1}.initializers.zeros "
        f"*{_V1}.initializers *{_V1}",
    ),
    ("python.framework.test_util", "disable_cudnn_autotune=tfcompat._testing.autotuning:disable_cudnn_autotune"),
    ("python.ops.ragged.ragged_map_ops", "map_fn"),
    ("python.ops.ragged.ragged_util", "assert_splits_match=tfcompat._keras.splits:assert_splits_match"),
    (
        "python.pywrap_tfe",
        "TF_ListPluggablePhysicalDevices=tfcompat._keras.pluggable_device:list_pluggable_physical_devices",
    ),
    (
        "python.saved_model.model_utils.mode_keys",
        f"EstimatorModeKeys={_MODE}:EstimatorModeKeys KerasModeKeys={_MODE}:KerasModeKeys "
        f"ModeKeyMap={_MODE}:ModeKeyMap",
    ),
    (
        "python.saved_model.save",
        "save_and_return_nodes=tfcompat._saved_model.directories.writing:save_and_return_nodes",
    ),
    ("python.tf2", "enabled=__internal__.tf2.enabled"),
    (
        "python.util.object_identity",
        "ObjectIdentityDictionary=tfcompat._keras.object_identity:ObjectIdentityDictionary "
        "ObjectIdentitySet=tfcompat._keras.object_identity:ObjectIdentitySet "
        "Reference=tfcompat._core.structure.tensor:Reference",
    ),
    (
        "python.util.tf_export",
        f"get_canonical_name_for_symbol={_SYMBOL}:get_canonical_name_for_symbol "
        f"get_symbol_from_name={_SYMBOL}:get_symbol_from_name "
        "keras_export=tfcompat._keras.export:keras_exported tf_export=tfcompat._keras.export:exported",
    ),
    (
        "tools.docs.doc_controls",
        f"do_not_doc_inheritable={_DOC} do_not_generate_docs={_DOC} doc_in_current_and_subclasses={_DOC} "
        f"for_subclass_implementers={_DOC}",
    ),
)
