"""The symbols of TensorFlow that are refused, each with the way out.

A row holds a namespace, its names, and what the error tells. What stands in none of TensorFlow's namespaces here and is
not in tfcompat either is absent: an AttributeError.
"""

from __future__ import annotations

_GRAPH = "There are no graphs to build: operations run as they are called, and tf.function traces one."
_GRAPH_FILE = "No graphs are read or written; `export()` of a concrete function gives JAX's form of one."
_KERNEL = "No kernels are loaded; write the op in JAX, and tf.from_jax makes it one that tapes differentiate."
_REGISTRY = "Ops have no registry of gradients; tf.custom_gradient gives a function its own."
_LITE = "TensorFlow Lite converts TensorFlow's own graphs: save the weights, and convert the model under TensorFlow."
_TPU = "XLA finds the TPUs itself and they need no initialising; tf.config.list_logical_devices('TPU') names them."
_TPU_EMBEDDING = "Embeddings are variables on the device like others: tf.nn.embedding_lookup."
_COLUMN = "TensorFlow has deprecated them and Keras 3 takes none; Keras's preprocessing layers do their work."
_MLIR = "A concrete function tells its program: `tf.function(f).get_concrete_function(...).stablehlo()`."
_TENSORRT = "What runs is compiled by XLA."
_DTENSOR = "JAX places arrays on a mesh: jax.sharding, and tf.distribute for replicas."
_QUEUE = "Queues belong to graphs; tf.data makes input pipelines, Python's `queue` hands values from thread to thread."
_FUZZING = "They annotate TensorFlow's generated functions; write tf.Tensor."
_ONE_PROCESS = "This process is all there is; jax.distributed.initialize connects several."
_DUMP = "TFCOMPAT_EXPLAIN=1 tells what runs, XLA_FLAGS=--xla_dump_to=FOLDER writes what is compiled."
_RNN_CELL = "They wrap cells of TensorFlow 1; Keras's layers have dropout, and residuals are sums."
_LEARNED = "It counts the classes it was called with; count them, for tf.random.fixed_unigram_candidate_sampler."
_SOBOL = "scipy.stats.qmc.Sobol(d, scramble=False) gives the same points, after one at 0."
_TOOLS = "They belong to TensorFlow's own source; `python -m tfcompat check PATH` tells what a program uses."

_ROWS = (
    ("", "Graph Operation", _GRAPH),
    ("", "import_graph_def graph_util.import_graph_def", _GRAPH_FILE),
    ("", "load_library load_op_library", _KERNEL),
    ("", "RegisterGradient no_gradient", _REGISTRY),
    ("lite", "Interpreter OpsSet Optimize RepresentativeDataset TFLiteConverter TargetSpec", _LITE),
    (
        "lite.experimental",
        "Analyzer OpResolverType QuantizationDebugOptions QuantizationDebugger authoring.compatible load_delegate",
        _LITE,
    ),
    ("tpu", "XLAOptions", _TPU),
    (
        "tpu.experimental",
        "DeviceAssignment DeviceOrderMode HardwareFeature TPUSystemMetadata Topology initialize_tpu_system "
        "shutdown_tpu_system",
        _TPU,
    ),
    (
        "tpu.experimental.embedding",
        "Adagrad AdagradMomentum Adam CustomCombiner CustomOptimizer FTRL FeatureConfig QuantizationConfig "
        "RowIdInitializer SGD SparseCoreEmbeddingConfig TPUEmbedding TPUEmbeddingForServing TPUEmbeddingV0 "
        "TPUEmbeddingV2 TableConfig serving_embedding_lookup",
        _TPU_EMBEDDING,
    ),
    (
        "feature_column",
        "bucketized_column categorical_column_with_hash_bucket categorical_column_with_identity "
        "categorical_column_with_vocabulary_file categorical_column_with_vocabulary_list crossed_column "
        "embedding_column indicator_column make_parse_example_spec numeric_column "
        "sequence_categorical_column_with_hash_bucket sequence_categorical_column_with_identity "
        "sequence_categorical_column_with_vocabulary_file sequence_categorical_column_with_vocabulary_list "
        "sequence_numeric_column shared_embeddings weighted_categorical_column",
        _COLUMN,
    ),
    (
        "mlir.experimental",
        "convert_function convert_graph_def convert_saved_model convert_saved_model_v1 run_pass_pipeline "
        "tflite_to_tosa_bytecode write_bytecode",
        _MLIR,
    ),
    ("experimental.tensorrt", "ConversionParams Converter", _TENSORRT),
    (
        "experimental.dtensor",
        "DTensorCheckpoint DTensorDataset DVariable Layout MATCH Mesh UNSHARDED barrier call_with_layout check_layout "
        "client_id copy_to_mesh create_distributed_mesh create_mesh create_tpu_mesh default_mesh device_name "
        "enable_save_as_bf16 fetch_layout full_job_name get_default_mesh heartbeat_enabled "
        "initialize_accelerator_system initialize_multi_client initialize_tpu_system is_dtensor job_name jobs "
        "local_devices name_based_restore name_based_save num_clients num_global_devices num_local_devices pack "
        "preferred_device_type relayout relayout_like run_on sharded_save shutdown_accelerator_system "
        "shutdown_tpu_system unpack",
        _DTENSOR,
    ),
    ("queue", "FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue", _QUEUE),
    (
        "security.fuzzing.py.annotation_types",
        "BFloat16 Bool Complex128 Complex64 DTypeAnnotation Float16 Float32 Float4e2m1fn Float64 Float8e4m3b11fnuz "
        "Float8e4m3fn Float8e4m3fnuz Float8e5m2 Float8e5m2fnuz Half Int16 Int2 Int32 Int4 Int64 Int8 QInt16 QInt32 "
        "QInt8 QUInt16 QUInt8 Resource String UInt16 UInt2 UInt32 UInt4 UInt64 UInt8 Variant",
        _FUZZING,
    ),
    (
        "config",
        "experimental_connect_to_cluster experimental_connect_to_host experimental.ClusterDeviceFilters",
        _ONE_PROCESS,
    ),
    ("test", "assert_equal_graph_def benchmark_config", _GRAPH),
    ("test", "create_local_cluster", _ONE_PROCESS),
    ("debugging.experimental", "disable_dump_debug_info enable_dump_debug_info", _DUMP),
    ("nn", "RNNCellDeviceWrapper RNNCellDropoutWrapper RNNCellResidualWrapper", _RNN_CELL),
    ("nn", "learned_unigram_candidate_sampler", _LEARNED),
    ("random", "learned_unigram_candidate_sampler", _LEARNED),
    ("math", "sobol_sample", _SOBOL),
    ("tools", "compatibility.all_renames_v2 compatibility.renames_v2 docs.doc_controls", _TOOLS),
)


def _by_name() -> dict[str, str]:
    return {
        ".".join(filter(None, (namespace, name))): way_out
        for namespace, names, way_out in _ROWS
        for name in names.split()
    }


WAYS_OUT = _by_name()
