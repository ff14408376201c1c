"""The private modules of TensorFlow that exist here, and where their names come from.

A row holds the path of a module below `tensorflow`, and names:

- `name` is `tf.name`;
- `name=math.other` is `tf.math.other`, and `name=tfcompat._x.y:other` is a name of that module of ours;
- `*math` gives the module all names of `tf.math`; `*` those of `tf`; the first that has the name wins;
- `*raw_ops` gives it TensorFlow's generated functions: `mat_mul` is `tf.raw_ops.MatMul`.

Names that only earlier versions of TensorFlow 2 have, and that programs import, are here too.
"""

from __future__ import annotations

from tfcompat._dropin.private.keras_2_table import ROWS as KERAS_2_ROWS
from tfcompat._dropin.private.probability_table import ROWS as PROBABILITY_ROWS
from tfcompat._dropin.private.tool_table import ROWS as TOOL_ROWS

_V1 = "compat.v1"
_UNSUPPORTED = "tfcompat._keras.unsupported"
_CONTEXT = "tfcompat._keras.context"
_SPARSE = "tfcompat._keras.csr_matrix"
_XLA = "tfcompat._keras.xla"

_ROWS: tuple[tuple[str, str], ...] = (
    (
        "compiler.tf2xla.python.xla",
        f"dynamic_slice={_XLA}:dynamic_slice dynamic_update_slice={_XLA}:dynamic_update_slice "
        f"variadic_reduce={_UNSUPPORTED}:variadic_reduce",
    ),
    ("core.framework.summary_pb2", f"Summary={_V1}.Summary SummaryMetadata={_V1}.SummaryMetadata"),
    (
        "core.protobuf.config_pb2",
        f"ConfigProto={_V1}.ConfigProto GPUOptions={_V1}.GPUOptions "
        "CallableOptions=tfcompat._keras.unsupported:CallableOptions",
    ),
    ("core.util.event_pb2", f"Event={_V1}.Event"),
    *(
        (f"python.autograph.{module}", f"*malt.{module}:")
        for module in (
            "converters.break_statements",
            "converters.continue_statements",
            "converters.return_statements",
            "core.converter",
            "pyct.anno",
            "pyct.common_transformers.anf",
            "pyct.inspect_utils",
            "pyct.loader",
            "pyct.naming",
            "pyct.parser",
            "pyct.qual_names",
            "pyct.static_analysis.activity",
            "pyct.templates",
            "pyct.transformer",
        )
    ),
    ("python.client.session", f"InteractiveSession={_V1}.InteractiveSession Session={_V1}.Session"),
    (
        "python.data.experimental.ops.distribute",
        "compute_batch_size=tfcompat._keras.batch_size:compute_batch_size",
    ),
    ("python.data.ops.options", "Options=data.Options"),
    ("python.data.ops.dataset_ops", "Dataset=data.Dataset DatasetSpec=data.DatasetSpec DatasetV2=data.Dataset"),
    (
        "python.data.ops.iterator_ops",
        "Iterator=data.Iterator IteratorSpec=data.IteratorSpec OwnedIterator=data.Iterator",
    ),
    (
        "python.distribute.distribute_lib",
        "InputContext=distribute.InputContext ReplicaContext=distribute.ReplicaContext Strategy=distribute.Strategy "
        "get_replica_context=distribute.get_replica_context get_strategy=distribute.get_strategy "
        "has_strategy=distribute.has_strategy in_cross_replica_context=distribute.in_cross_replica_context",
    ),
    ("python.distribute.input_lib", "DistributedDataset=distribute.DistributedDataset"),
    (
        "python.eager.backprop",
        "GradientTape",
    ),
    (
        "python.eager.context",
        f"async_wait={_CONTEXT}:async_wait context={_CONTEXT}:context eager_mode={_CONTEXT}:eager_mode "
        f"executing_eagerly in_eager_mode=executing_eagerly device _reset_context={_CONTEXT}:reset_context "
        f"get_device_name={_CONTEXT}:get_device_name get_config=tfcompat._keras.unsupported:get_config",
    ),
    ("python.eager.def_function", "function Function=types.experimental.PolymorphicFunction"),
    (
        "python.eager.polymorphic_function.polymorphic_function",
        "function Function=types.experimental.PolymorphicFunction",
    ),
    (
        "python.eager.record",
        "could_possibly_record=tfcompat._autodiff.recorded:could_possibly_record "
        "should_record_backprop=tfcompat._autodiff.recorded:should_record_backprop "
        "stop_recording=tfcompat._autodiff.suspension:unrecorded",
    ),
    ("python.eager.tape", ""),
    ("python.framework.composite_tensor", "CompositeTensor=__internal__.CompositeTensor"),
    (
        "python.framework.config",
        "disable_op_determinism=tfcompat._dropin.setting:disable_op_determinism "
        "enable_op_determinism=config.experimental.enable_op_determinism "
        "is_op_determinism_enabled=tfcompat._dropin.setting:is_op_determinism_enabled "
        "list_logical_devices=config.list_logical_devices list_physical_devices=config.list_physical_devices "
        "set_soft_device_placement=config.set_soft_device_placement",
    ),
    ("python.framework.constant_op", "constant"),
    (
        "python.framework.convert_to_constants",
        f"convert_variables_to_constants_v2={_UNSUPPORTED}:convert_variables_to_constants_v2 "
        "convert_variables_to_constants_v2_as_graph="
        f"{_UNSUPPORTED}:convert_variables_to_constants_v2_as_graph",
    ),
    ("python.framework.dtypes", "*dtypes"),
    ("python.framework.errors", "*errors"),
    ("python.framework.errors_impl", "*errors"),
    ("python.framework.function", "Defun=function"),
    ("python.framework.indexed_slices", "IndexedSlices IndexedSlicesSpec"),
    (
        "python.framework.ops",
        "EagerTensor=__internal__.EagerTensor IndexedSlices NoGradient=no_gradient NotDifferentiable=no_gradient "
        f"RegisterGradient RegisterStatistics=tfcompat._keras.statistics:RegisterStatistics Tensor "
        f"control_dependencies convert_to_tensor device "
        f"convert_to_tensor_v2_with_dispatch=convert_to_tensor executing_eagerly_outside_functions="
        f"{_V1}.executing_eagerly_outside_functions get_default_graph={_V1}.get_default_graph "
        f"Graph inside_function init_scope name_scope name_scope_v1={_V1}.name_scope name_scope_v2=name_scope "
        f"register_tensor_conversion_function reset_default_graph={_V1}.reset_default_graph",
    ),
    ("python.framework.random_seed", f"set_seed=random.set_seed get_seed={_V1}.random.get_seed"),
    (
        "python.framework.smart_cond",
        "smart_cond=__internal__.smart_cond.smart_cond "
        "smart_constant_value=tfcompat._keras.smart_cond:smart_constant_value",
    ),
    ("python.framework.sparse_tensor", "SparseTensor SparseTensorSpec"),
    ("python.framework.tensor", "Tensor TensorSpec"),
    (
        "python.framework.tensor_shape",
        f"Dimension={_V1}.Dimension TensorShape as_shape=tfcompat._keras.static_shape:as_shape "
        f"dimension_at_index={_V1}.dimension_at_index dimension_value={_V1}.dimension_value",
    ),
    (
        "python.framework.tensor_spec",
        "BoundedTensorSpec=tfcompat._core.structure.bounded_spec:BoundedTensorSpec "
        "DenseSpec=tfcompat._extension.library_spec:LibraryTypeSpec TensorSpec",
    ),
    (
        "python.framework.tensor_util",
        "constant_value=get_static_value try_evaluate_constant=get_static_value "
        "constant_value_as_shape=tfcompat._keras.static_shape:constant_value_as_shape is_tf_type=is_tensor is_tensor "
        "MakeNdarray=make_ndarray make_tensor_proto",
    ),
    (
        "python.framework.type_spec",
        "BatchableTypeSpec=tfcompat._extension.library_spec:LibraryTypeSpec TypeSpec type_spec_from_value",
    ),
    (
        "python.framework.type_spec_registry",
        "get_name=tfcompat._keras.type_spec_registry:get_name lookup=tfcompat._keras.type_spec_registry:lookup "
        "register=tfcompat._keras.type_spec_registry:register "
        "_NAME_TO_TYPE_SPEC=tfcompat._keras.type_spec_registry:by_name "
        "_TYPE_SPEC_TO_NAME=tfcompat._keras.type_spec_registry:by_class",
    ),
    (
        "python.layers.utils",
        "conv_output_length=tfcompat._keras.window_length:conv_output_length "
        "smart_cond=__internal__.smart_cond.smart_cond",
    ),
    ("python.lib.io.file_io", "*io.gfile"),
    (
        "python.lib.io.tf_record",
        "TFRecordOptions=io.TFRecordOptions TFRecordWriter=io.TFRecordWriter "
        f"tf_record_iterator={_V1}.io.tf_record_iterator",
    ),
    ("python.module.module", "Module"),
    ("python.ops.array_ops", f"prevent_gradient=tfcompat._keras.gradient_prevention:prevent_gradient *  *{_V1}"),
    ("python.ops.array_ops_stack", "stack unstack"),
    ("python.ops.bitwise_ops", "*bitwise"),
    ("python.ops.check_ops", f"*debugging *{_V1}"),
    ("python.ops.clip_ops", f"*  *{_V1}"),
    ("python.ops.cond", "cond"),
    ("python.ops.control_flow_assert", "Assert=debugging.Assert"),
    (
        "python.ops.control_flow_ops",
        f"get_enclosing_xla_context={_CONTEXT}:get_enclosing_xla_context group no_op tuple cond "
        f"while_loop with_dependencies={_V1}.group",
    ),
    ("python.ops.control_flow_case", "case _case_helper=tfcompat._keras.case:case_helper"),
    (
        "python.ops.control_flow_util",
        f"ENABLE_CONTROL_FLOW_V2={_CONTEXT}:ENABLE_CONTROL_FLOW_V2 "
        f"GraphOrParentsInXlaContext={_CONTEXT}:is_in_xla_context",
    ),
    ("python.ops.clustering_ops", "*raw_ops"),
    ("python.ops.custom_gradient", "custom_gradient grad_pass_through recompute_grad"),
    ("python.ops.data_flow_ops", f"*{_V1}"),
    ("python.ops.embedding_ops", "*nn"),
    ("python.ops.functional_ops", "foldl foldr scan"),
    *(
        (f"python.ops.gen_{kind}_ops", "*raw_ops")
        for kind in (
            "array",
            "bitwise",
            "clustering",
            "control_flow",
            "data_flow",
            "image",
            "linalg",
            "logging",
            "lookup",
            "math",
            "nn",
            "parsing",
            "random",
            "resource_variable",
            "set",
            "spectral",
            "state",
            "string",
            "training",
        )
    ),
    ("python.ops.gen_sparse_ops", "sparse_reorder=tfcompat._keras.sparse_reorder:sparse_reorder *raw_ops"),
    ("python.ops.gradients", "gradients hessians AggregationMethod"),
    ("python.ops.gradients_impl", "gradients hessians"),
    ("python.ops.image_ops", "*image"),
    ("python.ops.image_ops_impl", "*image"),
    (
        "python.ops.init_ops_v2",
        "GlorotNormal=tfcompat._keras.glorot:GlorotNormal GlorotUniform=tfcompat._keras.glorot:GlorotUniform "
        "Constant=constant_initializer Ones=ones_initializer RandomNormal=random_normal_initializer "
        "RandomUniform=random_uniform_initializer Zeros=zeros_initializer "
        "glorot_normal=tfcompat._keras.glorot:GlorotNormal glorot_uniform=tfcompat._keras.glorot:GlorotUniform *",
    ),
    ("python.ops.io_ops", "*io"),
    ("python.ops.linalg_ops", f"*linalg *{_V1}"),
    ("python.ops.linalg.linalg", "*linalg"),
    ("python.ops.linalg.sparse.sparse", f"CSRSparseMatrix={_SPARSE}:CSRSparseMatrix matmul={_SPARSE}:matmul"),
    (
        "python.ops.linalg.sparse.sparse_csr_matrix_ops",
        f"sparse_matrix_sparse_mat_mul={_SPARSE}:sparse_matrix_sparse_mat_mul "
        f"sparse_tensor_to_csr_sparse_matrix={_SPARSE}:sparse_tensor_to_csr_sparse_matrix "
        f"csr_sparse_matrix_to_sparse_tensor={_SPARSE}:csr_sparse_matrix_to_sparse_tensor "
        "tf_export=tfcompat._keras.export:exported",
    ),
    ("python.ops.lookup_ops", "*lookup"),
    ("python.ops.manip_ops", "roll"),
    ("python.ops.map_fn", "map_fn"),
    ("python.ops.math_ops", f"is_nan=math.is_nan mul=math.multiply *math * *{_V1}"),
    ("python.ops.nn", f"*nn *{_V1}.nn"),
    ("python.ops.nn_impl", "*nn"),
    ("python.ops.nn_ops", f"Convolution={_UNSUPPORTED}:Convolution *nn *{_V1}.nn"),
    ("python.ops.numpy_ops", "*experimental.numpy"),
    ("python.ops.parallel_for.control_flow_ops", "pfor=tfcompat._keras.parallel_for:pfor vectorized_map"),
    ("python.ops.parsing_ops", "*io"),
    ("python.ops.ragged.ragged_tensor", "RaggedTensor RaggedTensorSpec"),
    ("python.ops.ragged.row_partition", "RowPartition=experimental.RowPartition"),
    ("python.ops.ragged.ragged_factory_ops", "constant=ragged.constant"),
    (
        "python.ops.random_ops",
        f"parameterized_truncated_normal={_UNSUPPORTED}:parameterized_truncated_normal *random *{_V1}",
    ),
    (
        "python.ops.resource_variable_ops",
        "BaseResourceVariable=Variable ResourceVariable=Variable VariableSpec=tfcompat._state.variable:VariableSpec",
    ),
    ("python.ops.rnn_cell", f"RNNCell={_UNSUPPORTED}:RNNCell"),
    (
        "python.ops.rnn_cell_impl",
        f"_concat=tfcompat._keras.static_shape:joined_sizes RNNCell={_UNSUPPORTED}:RNNCell",
    ),
    ("python.ops.script_ops", "numpy_function"),
    ("python.ops.sets", "*sets"),
    ("python.ops.signal.signal", "*signal"),
    ("python.ops.sparse_ops", f"*sparse *{_V1}"),
    ("python.ops.special_math_ops", "einsum *math"),
    ("python.ops.standard_ops", f"* *{_V1}"),
    ("python.ops.state_ops", f"*{_V1}"),
    ("python.ops.stateful_random_ops", "Generator=random.Generator"),
    ("python.ops.stateless_random_ops", "*random"),
    ("python.ops.string_ops", f"*strings *{_V1}"),
    ("python.ops.tensor_array_ops", "TensorArray TensorArraySpec"),
    ("python.ops.tensor_getitem_override", "_slice_helper_var=__operators__.getitem"),
    ("python.ops.unconnected_gradients", "UnconnectedGradients"),
    ("python.ops.variable_scope", f"variable_creator_scope *{_V1}"),
    (
        "python.ops.variables",
        "Variable VariableAggregation VariableAggregationV2=VariableAggregation VariableSynchronization",
    ),
    ("python.ops.weights_broadcast_ops", "broadcast_weights=__internal__.ops.broadcast_weights"),
    ("python.ops.while_loop", "while_loop"),
    ("python.platform.gfile", "*io.gfile"),
    ("python.platform.resource_loader", f"*{_V1}.resource_loader"),
    ("python.platform.test", f"*test *{_V1}.test"),
    ("python.platform.tf_logging", f"*{_V1}.logging"),
)


def _parsed(names: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """The targets of the names in a row, and the namespaces that have all others."""
    items = names.split()
    explicit = [item.partition("=") for item in items if not item.startswith("*")]
    return {name: target or name for name, _, target in explicit}, tuple([i[1:] for i in items if i.startswith("*")])


# For each module, the targets of its names, and the namespaces that are searched for others.
MODULES = {path: _parsed(names) for path, names in (*_ROWS, *TOOL_ROWS, *KERAS_2_ROWS, *PROBABILITY_ROWS)}
# The packages that these modules are in.
PACKAGES = frozenset(".".join(path.split(".")[:count]) for path in MODULES for count in range(1, path.count(".") + 1))
