"""`tf.data.experimental`: functions and options for input pipelines."""

import typing as _typing

from tfcompat._data.blocks.debugging import enable_debug_mode
from tfcompat._data.blocks.optional import Optional
from tfcompat._data.blocks.options import (
    AutoShardPolicy,
    AutotuneAlgorithm,
    AutotuneOptions,
    DistributeOptions,
    ExternalStatePolicy,
    OptimizationOptions,
    ServiceOptions,
    ThreadingOptions,
)
from tfcompat._data.datasets.csv.dataset import CsvDataset
from tfcompat._data.datasets.csv.making import make_csv_dataset
from tfcompat._data.datasets.example_dataset import make_batched_features_dataset, parse_example_dataset
from tfcompat._data.datasets.function_twin import (
    bucket_by_sequence_length,
    group_by_window,
    map_and_batch,
    parallel_interleave,
    rejection_resample,
    scan,
    take_while,
)
from tfcompat._data.datasets.reducing import Reducer, group_by_reducer
from tfcompat._data.datasets.sql_dataset import SqlDataset
from tfcompat._data.datasets.storage_twin import (
    DatasetInitializer,
    TFRecordWriter,
    index_table_from_dataset,
    load,
    save,
    snapshot,
    table_from_dataset,
)
from tfcompat._data.datasets.twin import (
    SHARD_HINT,
    Counter,
    RandomDataset,
    assert_cardinality,
    at,
    cardinality,
    choose_from_datasets,
    dense_to_ragged_batch,
    dense_to_sparse_batch,
    enumerate_dataset,
    from_list,
    get_next_as_optional,
    get_single_element,
    get_structure,
    ignore_errors,
    pad_to_cardinality,
    sample_from_datasets,
    shuffle_and_repeat,
    unbatch,
    unique,
)
from tfcompat._data.nodes.node import INFINITE as INFINITE_CARDINALITY
from tfcompat._data.nodes.node import UNKNOWN as UNKNOWN_CARDINALITY
from tfcompat._data.nodes.prefetching import AUTOTUNE
from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.device_dataset import copy_to_device, prefetch_to_device

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "SHARD_HINT",
    "UNKNOWN_CARDINALITY",
    "AutoShardPolicy",
    "AutotuneAlgorithm",
    "AutotuneOptions",
    "Counter",
    "CsvDataset",
    "DatasetInitializer",
    "DistributeOptions",
    "ExternalStatePolicy",
    "OptimizationOptions",
    "Optional",
    "RandomDataset",
    "Reducer",
    "ServiceOptions",
    "SqlDataset",
    "TFRecordWriter",
    "ThreadingOptions",
    "assert_cardinality",
    "at",
    "bucket_by_sequence_length",
    "cardinality",
    "choose_from_datasets",
    "copy_to_device",
    "dense_to_ragged_batch",
    "dense_to_sparse_batch",
    "enable_debug_mode",
    "enumerate_dataset",
    "from_list",
    "get_next_as_optional",
    "get_single_element",
    "get_structure",
    "group_by_reducer",
    "group_by_window",
    "ignore_errors",
    "index_table_from_dataset",
    "load",
    "make_batched_features_dataset",
    "make_csv_dataset",
    "map_and_batch",
    "pad_to_cardinality",
    "parallel_interleave",
    "parse_example_dataset",
    "prefetch_to_device",
    "rejection_resample",
    "sample_from_datasets",
    "save",
    "scan",
    "shuffle_and_repeat",
    "snapshot",
    "table_from_dataset",
    "take_while",
    "unbatch",
    "unique",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
