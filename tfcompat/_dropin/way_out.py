"""Unsupported symbols of TensorFlow, each with a sentence that names an alternative.

A row holds a namespace, its names, and the sentence for the error message. A symbol that is neither listed here nor in
tfcompat raises AttributeError.
"""

from __future__ import annotations

_GRAPH = "Graphs are not supported: operations run when they are called; tf.function traces a function."
_GRAPH_FILE = "Graphs cannot be read or written; `export()` of a concrete function returns a jax.export.Exported."
_KERNEL = "Kernels cannot be loaded; write the op in JAX and wrap it with tf.from_jax, which tapes differentiate."
_LITE = (
    "Save a SavedModel (`tf.saved_model.save`, or `export` of a Keras model), which TensorFlow's own converter reads; "
    "`python -m tfcompat guide saved_models` shows how."
)
_TPU = "XLA finds and initializes TPUs; tf.config.list_logical_devices('TPU') lists them."
_TPU_EMBEDDING = "Embeddings are ordinary variables on the device; use tf.nn.embedding_lookup."
_COLUMN = "TensorFlow has deprecated feature columns, and Keras 3 does not accept them; use Keras preprocessing layers."
_MLIR = "Use `tf.function(f).get_concrete_function(...).stablehlo()`, which returns the StableHLO text of a function."
_TENSORRT = "XLA compiles all programs."
_DTENSOR = "Use tf.train.Checkpoint, which saves and restores the variables of a mesh."
_QUEUE = "Queues belong to graphs; use tf.data for input pipelines, and Python's `queue` between threads."
_FUZZING = "They annotate TensorFlow's generated functions; use tf.Tensor."
_SERVERS = (
    "Variables are in the memory of the processes, not on servers; use tf.distribute.MultiWorkerMirroredStrategy(), or "
    "tf.distribute.MirroredStrategy() in one process."
)
_NO_SERVER = "Processes need no servers; tf.distribute.MultiWorkerMirroredStrategy connects them."
_PREEMPTED = "SIGTERM ends a process, and the others with an error; save checkpoints, and start the job again."
_RESOLVER = "Name the processes in TF_CONFIG, or with a SimpleClusterResolver."
_LOCAL = "Start the processes with a TF_CONFIG each, as examples/two_workers.py does."
_DATA_SERVICE = "Pipelines run in the process that reads them; several processes may each read a `dataset.shard(...)`."
_DATASET_GRAPH = "Datasets have no graph; pass the dataset itself, or save its elements with tf.data.Dataset.save."
_GRAPH_ITERATOR = "It belongs to graphs; use iter(dataset), or tf.compat.v1.data.make_one_shot_iterator."
_SERVING = "It belongs to TensorFlow's serving kernels; batch with Python's `queue`, or stack the inputs."
_CONV = "Use tf.nn.convolution and tf.nn.conv2d_transpose; tapes compute their gradients."
_STRICT = "Deprecated functions behave as in TensorFlow; tfcompat has no stricter mode."
_FILES = "Python reads files; use fsspec for other file systems."
_CLIENT = "Use tf.profiler.experimental.start and stop for this process, and xprof's client for other processes."
_TRACING = (
    "tf.function traces tensors, variables, containers and extension types; register other classes as containers."
)
_DUMP = "TFCOMPAT_EXPLAIN=1 logs each program that runs; XLA_FLAGS=--xla_dump_to=FOLDER writes compiled programs."
_RNN_CELL = "They wrap cells of TensorFlow 1; use the dropout arguments of Keras layers, and add residuals."
_LEARNED = "It counts the classes of its calls; count them and use tf.random.fixed_unigram_candidate_sampler."
_SESSION = "Sessions are not supported: call the function, and read tensors with `numpy()`."
_CONFIG = "Sessions are not supported; tf.config has the settings for devices, threads and memory."
_PLACEHOLDER = "Placeholders are not supported: pass values to a function decorated with tf.function."
_EAGER = "Programs always run eagerly, with the behaviour of TensorFlow 2."
_OPTIMIZER = "Optimizers of TensorFlow 1 need graphs; use tf.keras.optimizers."
_METRIC = "TensorFlow does not support it in eager programs either; use tf.keras.metrics."
_HOOK = "Hooks belong to sessions; write a training loop in Python instead."
_INPUT = "Input queues belong to graphs; use tf.data for input pipelines."
_LAYER = "Layers of TensorFlow 1 need graphs; use tf.keras.layers."
_CELL = "Recurrent loops and cells of TensorFlow 1 need graphs; use tf.keras.layers.RNN and its cells."
_DISTRIBUTION = "Use TensorFlow Probability on JAX: tensorflow_probability.substrates.jax."
_SUMMARY = "Summaries of TensorFlow 1 need graphs; use tf.summary."
_PROTO = "It describes graphs or session runs; tfcompat has neither."
_PARTITION = "Variables are not partitioned; tf.shard divides one over several devices."
_PROFILER = (
    "Use tf.profiler.experimental for profiles, and `cost_analysis()` of a compiled JAX function to count operations."
)
_MIXED = "It rewrites graphs; Keras has mixed precision policies and an optimizer that scales the loss."
_PROPOSALS = "TensorFlow supports it only on GPUs; use tf.image.non_max_suppression_padded, which runs on any device."
_XL = "The format JPEG XL is not included: read the file with another library, such as imagecodecs."
_SOBOL = "scipy.stats.qmc.Sobol(d, scramble=False) returns the same points, after an additional point at 0."
_QUANTIZED = (
    "No tensor has a quantized dtype; tf.quantization.quantize_and_dequantize_v2 and fake_quant_with_min_max_vars "
    "round to the same levels and return floating tensors."
)
_QUANTIZER = "It rewrites saved graphs for TensorFlow's own kernels: save the weights, and quantize the model there."
_TOOLS = (
    "They are tools for TensorFlow's own source; `python -m tfcompat check PATH` lists the symbols that a program uses."
)

_PROTO_OP = (
    "Read and write messages with their own classes of protobuf, and make tensors of the fields with tf.constant."
)
_SAVER = "tf.train.Checkpoint saves and restores objects, and restores variables by name from files of the old class."
_WITH_DTYPES = ("", "dtypes", "compat.v1", "compat.v1.dtypes")
_QUANTIZERS = (
    "QuantizationComponentSpec QuantizationMethod QuantizationOptions TfRecordRepresentativeDatasetSaver "
    "UnitWiseQuantizationSpec quantize_saved_model"
)

_ROWS = (
    ("", "Graph Operation", _GRAPH),
    ("", "import_graph_def graph_util.import_graph_def", _GRAPH_FILE),
    ("", "load_library load_op_library", _KERNEL),
    ("lite", "Interpreter OpsSet Optimize RepresentativeDataset TFLiteConverter TargetSpec", _LITE),
    (
        "lite.experimental",
        "Analyzer OpResolverType QuantizationDebugOptions QuantizationDebugger authoring.compatible load_delegate",
        _LITE,
    ),
    (
        "tpu.experimental",
        "DeviceAssignment DeviceOrderMode TPUSystemMetadata Topology shutdown_tpu_system",
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
        "name_based_restore name_based_save sharded_save",
        _DTENSOR,
    ),
    (
        "distribute.coordinator",
        "ClusterCoordinator PerWorkerValue RemoteValue experimental_get_current_worker_index",
        _SERVERS,
    ),
    ("distribute.experimental.coordinator", "ClusterCoordinator PerWorkerValues RemoteValue", _SERVERS),
    (
        "distribute.experimental.partitioners",
        "FixedShardsPartitioner MaxSizePartitioner MinSizePartitioner Partitioner",
        _SERVERS,
    ),
    ("distribute.experimental.rpc", "Client Server", _NO_SERVER),
    ("distribute", "Server", _NO_SERVER),
    (
        "distribute.experimental",
        "PreemptionCheckpointHandler PreemptionWatcher TerminationConfig",
        _PREEMPTED,
    ),
    (
        "distribute.cluster_resolver",
        "GCEClusterResolver KubernetesClusterResolver KubernetesExecutableLocation",
        _RESOLVER,
    ),
    (
        "data.experimental.service",
        "CrossTrainerCache DispatchServer DispatcherConfig ShardingPolicy WorkerConfig WorkerServer distribute "
        "from_dataset_id register_dataset",
        _DATA_SERVICE,
    ),
    ("data.experimental", "distributed_save", _DATA_SERVICE),
    ("data.experimental", "from_variant get_model_proto make_saveable_from_iterator to_variant", _DATASET_GRAPH),
    ("compat.v1.data", "Iterator", _GRAPH_ITERATOR),
    ("compat.v1.data.experimental", "distributed_save", _DATA_SERVICE),
    (
        "compat.v1.data.experimental",
        "from_variant get_model_proto make_saveable_from_iterator to_variant",
        _DATASET_GRAPH,
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
        "experimental_connect_to_host experimental.ClusterDeviceFilters",
        _NO_SERVER,
    ),
    ("test", "assert_equal_graph_def benchmark_config", _GRAPH),
    ("test", "create_local_cluster", _LOCAL),
    ("", "check_pinned nondifferentiable_batch_function", _SERVING),
    ("", "conv2d_backprop_filter_v2 conv2d_backprop_input_v2 conv", _CONV),
    ("experimental", "enable_strict_mode", _STRICT),
    ("experimental", "register_filesystem_plugin", _FILES),
    ("profiler.experimental.client", "monitor trace", _CLIENT),
    (
        "sysconfig",
        "CXX11_ABI_FLAG CXX_VERSION MONOLITHIC_BUILD get_compile_flags get_include get_lib get_link_flags",
        _KERNEL,
    ),
    ("types.experimental", "AtomicFunction SupportsTracingProtocol", _TRACING),
    ("debugging.experimental", "disable_dump_debug_info enable_dump_debug_info", _DUMP),
    ("nn", "RNNCellDeviceWrapper RNNCellDropoutWrapper RNNCellResidualWrapper", _RNN_CELL),
    ("nn", "learned_unigram_candidate_sampler", _LEARNED),
    ("random", "learned_unigram_candidate_sampler", _LEARNED),
    ("compat.v1", "Session InteractiveSession get_session_handle get_session_tensor delete_session_tensor", _SESSION),
    ("compat.v1", "ConfigProto GPUOptions GraphOptions OptimizerOptions RunOptions", _CONFIG),
    ("compat.v1.sparse", "placeholder", _PLACEHOLDER),
    (
        "compat.v1",
        "disable_eager_execution disable_v2_behavior disable_tensor_equality disable_v2_tensorshape "
        "disable_resource_variables disable_control_flow_v2",
        _EAGER,
    ),
    ("compat.v1", "Graph Operation container colocate_with op_scope variable_op_scope", _GRAPH),
    ("compat.v1", "wrap_function make_template add_check_numerics_ops", _GRAPH),
    (
        "compat.v1",
        "AttrValue GraphDef LogMessage MetaGraphDef NameAttrList NodeDef RunMetadata SessionLog TensorInfo",
        _PROTO,
    ),
    ("compat.v1", "import_graph_def graph_util.import_graph_def", _GRAPH_FILE),
    (
        "compat.v1.graph_util",
        "convert_variables_to_constants extract_sub_graph must_run_on_cpu remove_training_nodes "
        "tensor_shape_from_node_def_name",
        _GRAPH_FILE,
    ),
    ("compat.v1", "load_library load_op_library load_file_system_library", _KERNEL),
    (
        "compat.v1",
        "ConditionalAccumulator ConditionalAccumulatorBase SparseConditionalAccumulator FIFOQueue PaddingFIFOQueue "
        "PriorityQueue QueueBase RandomShuffleQueue",
        _QUEUE,
    ),
    (
        "compat.v1",
        "FixedLengthRecordReader IdentityReader LMDBReader ReaderBase TFRecordReader TextLineReader WholeFileReader",
        _INPUT,
    ),
    (
        "compat.v1.summary",
        "Event FileWriter FileWriterCache SessionLog Summary SummaryDescription TaggedRunMetadata all_v2_summary_ops "
        "audio get_summary_description histogram image initialize merge merge_all scalar tensor_summary text",
        _SUMMARY,
    ),
    (
        "compat.v1",
        "create_partitioned_variables fixed_size_partitioner min_max_variable_partitioner "
        "variable_axis_size_partitioner",
        _PARTITION,
    ),
    (
        "compat.v1.train",
        "AdadeltaOptimizer AdagradDAOptimizer AdagradOptimizer AdamOptimizer FtrlOptimizer GradientDescentOptimizer "
        "MomentumOptimizer Optimizer ProximalAdagradOptimizer ProximalGradientDescentOptimizer RMSPropOptimizer "
        "SyncReplicasOptimizer sdca_fprint sdca_optimizer sdca_shrink_l1",
        _OPTIMIZER,
    ),
    (
        "compat.v1.train",
        "CheckpointSaverHook CheckpointSaverListener FeedFnHook FinalOpsHook GlobalStepWaiterHook LoggingTensorHook "
        "NanTensorHook ProfilerHook SessionRunArgs SessionRunContext SessionRunHook SessionRunValues StepCounterHook "
        "StopAtStepHook SummarySaverHook SecondOrStepTimer",
        _HOOK,
    ),
    (
        "compat.v1.train",
        "ChiefSessionCreator MonitoredSession MonitoredTrainingSession Scaffold SessionCreator SessionManager "
        "SingularMonitoredSession Supervisor WorkerSessionCreator basic_train_loop",
        _SESSION,
    ),
    (
        "compat.v1.train",
        "QueueRunner add_queue_runner batch batch_join input_producer limit_epochs maybe_batch maybe_batch_join "
        "maybe_shuffle_batch maybe_shuffle_batch_join range_input_producer shuffle_batch shuffle_batch_join "
        "slice_input_producer start_queue_runners string_input_producer",
        _INPUT,
    ),
    ("compat.v1.train", "Checkpoint Saver", _SAVER),
    ("compat.v1.train", "export_meta_graph import_meta_graph do_quantize_training_on_graphdef", _GRAPH_FILE),
    (
        "compat.v1.metrics",
        "accuracy auc average_precision_at_k false_negatives false_negatives_at_thresholds false_positives "
        "false_positives_at_thresholds mean mean_absolute_error mean_cosine_distance mean_iou "
        "mean_per_class_accuracy mean_relative_error mean_squared_error mean_tensor percentage_below precision "
        "precision_at_k precision_at_thresholds precision_at_top_k recall recall_at_k recall_at_thresholds "
        "recall_at_top_k root_mean_squared_error sensitivity_at_specificity sparse_average_precision_at_k "
        "sparse_precision_at_k specificity_at_sensitivity true_negatives true_negatives_at_thresholds true_positives "
        "true_positives_at_thresholds",
        _METRIC,
    ),
    (
        "compat.v1.nn",
        "bidirectional_dynamic_rnn dynamic_rnn raw_rnn static_bidirectional_rnn static_rnn static_state_saving_rnn",
        _CELL,
    ),
    (
        "compat.v1.layers",
        "AveragePooling1D AveragePooling2D AveragePooling3D BatchNormalization Conv1D Conv2D Conv2DTranspose Conv3D "
        "Conv3DTranspose Dense Dropout Flatten InputSpec Layer MaxPooling1D MaxPooling2D MaxPooling3D "
        "SeparableConv1D SeparableConv2D average_pooling1d average_pooling2d average_pooling3d batch_normalization "
        "conv1d conv2d conv2d_transpose conv3d conv3d_transpose dense dropout flatten max_pooling1d max_pooling2d "
        "max_pooling3d separable_conv1d separable_conv2d",
        _LAYER,
    ),
    (
        "compat.v1.distributions",
        "Bernoulli Beta Categorical Dirichlet DirichletMultinomial Distribution Exponential FULLY_REPARAMETERIZED "
        "Gamma Laplace Multinomial NOT_REPARAMETERIZED Normal RegisterKL ReparameterizationType StudentT Uniform "
        "kl_divergence",
        _DISTRIBUTION,
    ),
    (
        "compat.v1.feature_column",
        "bucketized_column categorical_column_with_hash_bucket categorical_column_with_identity "
        "categorical_column_with_vocabulary_file categorical_column_with_vocabulary_list crossed_column "
        "embedding_column indicator_column input_layer linear_model make_parse_example_spec numeric_column "
        "sequence_categorical_column_with_hash_bucket sequence_categorical_column_with_identity "
        "sequence_categorical_column_with_vocabulary_file sequence_categorical_column_with_vocabulary_list "
        "sequence_numeric_column shared_embedding_columns weighted_categorical_column",
        _COLUMN,
    ),
    (
        "compat.v1.lite",
        "Interpreter OpHint OpsSet Optimize RepresentativeDataset TFLiteConverter TargetSpec TocoConverter "
        "experimental.Analyzer experimental.OpResolverType experimental.QuantizationDebugOptions "
        "experimental.QuantizationDebugger experimental.authoring.compatible experimental.load_delegate "
        "toco_convert",
        _LITE,
    ),
    (
        "compat.v1.tpu",
        "CrossShardOptimizer PaddingSpec XLAOptions batch_parallel bfloat16_scope core cross_replica_sum "
        "experimental.DeviceAssignment experimental.DeviceOrderMode experimental.Topology "
        "experimental.initialize_tpu_system experimental.shutdown_tpu_system initialize_system "
        "outside_compilation replicate rewrite shard shutdown_system",
        _TPU,
    ),
    (
        "compat.v1.profiler",
        "AdviceProto GraphNodeProto MultiGraphNodeProto OpLogProto ProfileOptionBuilder Profiler advise profile "
        "write_op_log",
        _PROFILER,
    ),
    (
        "compat.v1.mixed_precision",
        "DynamicLossScale FixedLossScale LossScale MixedPrecisionLossScaleOptimizer "
        "disable_mixed_precision_graph_rewrite enable_mixed_precision_graph_rewrite",
        _MIXED,
    ),
    ("image", "generate_bounding_box_proposals", _PROPOSALS),
    ("image", "decode_jxl", _XL),
    ("io", "decode_jxl", _XL),
    ("math", "sobol_sample", _SOBOL),
    ("io", "decode_proto encode_proto", _PROTO_OP),
    ("compat.v1.io", "decode_proto encode_proto", _PROTO_OP),
    ("quantization", "quantize dequantize quantized_concat", _QUANTIZED),
    ("compat.v1.quantization", "quantize dequantize quantized_concat", _QUANTIZED),
    ("compat.v1", "quantize quantize_v2 dequantize quantized_concat QUANTIZED_DTYPES", _QUANTIZED),
    ("compat.v1.dtypes", "QUANTIZED_DTYPES", _QUANTIZED),
    *((namespace, "qint8 qint16 qint32 quint8 quint16", _QUANTIZED) for namespace in _WITH_DTYPES),
    *((f"{prefix}quantization.experimental", _QUANTIZERS, _QUANTIZER) for prefix in ("", "compat.v1.")),
    ("tools", "compatibility.all_renames_v2 compatibility.renames_v2", _TOOLS),
)


def _by_name() -> dict[str, str]:
    return {
        ".".join(filter(None, (namespace, name))): way_out
        for namespace, names, way_out in _ROWS
        for name in names.split()
    }


WAYS_OUT = _by_name()

# The constants of unsupported symbols.
CONSTANTS = {"compat.v1.train.Optimizer": {"GATE_NONE": 0, "GATE_OP": 1, "GATE_GRAPH": 2}}
