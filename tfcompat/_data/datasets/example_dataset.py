"""Datasets of the features of examples: `parse_example_dataset`, `make_batched_features_dataset`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.types.dtype import string
from tfcompat._core.types.shape import TensorShape
from tfcompat._data.blocks.block import Block, column_of, entries
from tfcompat._data.blocks.dataset_spec import AnyDataset
from tfcompat._data.blocks.host_value import HostRagged, HostSparse
from tfcompat._data.blocks.nesting import is_compatible
from tfcompat._data.blocks.structure import Structure
from tfcompat._data.datasets.csv.making import shuffled_and_repeated
from tfcompat._data.datasets.dataset import Dataset
from tfcompat._data.datasets.dataset_source import made
from tfcompat._data.datasets.record_dataset import TFRecordDataset
from tfcompat._data.format.example_op import example_schema
from tfcompat._data.format.feature import RaggedFeature, SparseFeature
from tfcompat._data.format.parsing import parse_batch
from tfcompat._data.format.rule import Padded, RaggedValue, Sparse, SparseValue
from tfcompat._data.format.rule import Ragged as RaggedRule
from tfcompat._data.format.schema import Schema
from tfcompat._data.functional.rearranging import Rearranged, in_turn
from tfcompat._data.nodes.cursor import Cursor
from tfcompat._data.nodes.node import Node, Unary
from tfcompat._data.nodes.prefetching import AUTOTUNE
from tfcompat._ops.ragged.spec import RaggedTensorSpec
from tfcompat._ops.sparse.tensor import SparseTensorSpec


class ParsedExamples(Unary):
    """The features of batches of serialized examples, as dictionaries.

    Raises: TypeError unless the elements are vectors of strings; NotImplementedError for features that are made of
      several values of an example.
    """

    label = "_ParseExampleDataset"

    def __init__(self, source: Node, features: Mapping[Any, Any]) -> None:
        spec = source.structure.spec
        if not is_compatible(spec, TensorSpec([None], string)):
            raise TypeError(f"Input dataset should be a dataset of vectors of strings. Instead it is `{spec}`.")
        for key, feature in features.items():
            if isinstance(feature, SparseFeature) or (isinstance(feature, RaggedFeature) and feature.partitions):
                raise NotImplementedError(
                    f"tf.data.experimental.parse_example_dataset: the feature {key!r} is made of several values of an "
                    "example; read them as tf.io.VarLenFeature, or call tf.io.parse_example on the batches."
                )
        self.schema = example_schema(features)
        specs = [_spec(rule, spec.shape) for rule in self.schema.rules.values()]
        # A ragged feature may have another name than its values.
        keys = [_name_of(key, features) for key in self.schema.keys]
        super().__init__(source, Structure(dict(zip(keys, specs, strict=True))))
        self.order = [keys.index(key) for key in sorted(keys)]

    def count(self) -> int:
        return self.source.cardinality

    def cursor(self) -> Cursor:
        return _Parsed(self.source.cursor(), self.schema, self.order)


def _name_of(key: Any, features: Mapping[Any, Any]) -> Any:
    named = [name for name, feature in features.items() if getattr(feature, "value_key", None) == key]
    return named[0] if named else key


def _spec(rule: Any, batch: TensorShape) -> Any:
    """The type of a feature of a batch."""
    dtype = rule.kind.dtype
    if isinstance(rule, Sparse):
        return SparseTensorSpec(batch.concatenate([None]), dtype)
    if isinstance(rule, RaggedRule):
        return RaggedTensorSpec(batch.concatenate([None]), dtype, 1, rule.splits)
    shape = [None, *rule.shape] if isinstance(rule, Padded) else list(rule.shape)
    return TensorSpec(batch.concatenate(shape), dtype)


class _Parsed(Cursor):
    saved = ("_cursor",)

    def __init__(self, cursor: Cursor, schema: Schema, order: list[int]) -> None:
        self._cursor = cursor
        self._schema = schema
        self._order = order

    def read(self, most: int) -> Block | None:
        del most  # one at a time, so that an error belongs to its batch
        block = self._cursor.read(1)
        if block is None:
            return None
        (texts,) = entries(block.columns[0])
        values = parse_batch(texts.tolist(), self._schema.rules)
        return Block(tuple([column_of([_host_value(values[place])]) for place in self._order]), 1)


def _host_value(value: Any) -> Any:
    if isinstance(value, SparseValue):
        return HostSparse(value.indices, value.values, value.dense_shape)
    if isinstance(value, RaggedValue):
        return HostRagged(value.values, tuple(value.splits))
    return value


def parse_example_dataset(
    features: Any, num_parallel_calls: Any = 1, deterministic: Any = None
) -> Callable[[Any], Any]:
    """A transformation of batches of serialized examples to dictionaries of features, as `tf.io.parse_example`.

    Batches are parsed in order, whatever `num_parallel_calls` and `deterministic`.

    Raises: ValueError without features; when it is applied, TypeError unless the elements are vectors of strings, and
      NotImplementedError for `tf.io.SparseFeature` and features with partitions. A broken example is an
      InvalidArgumentError when its batch is read.
    Source: TF 2.21 `tf.data.experimental.parse_example_dataset`.
    """
    del num_parallel_calls, deterministic
    if features is None:
        raise ValueError("Argument `features` should not be None.")
    return lambda dataset: made(ParsedExamples(dataset._node, features))


def make_batched_features_dataset(
    file_pattern: Any,
    batch_size: Any,
    features: Any,
    reader: Any = None,
    label_key: Any = None,
    reader_args: Any = None,
    num_epochs: Any = None,
    shuffle: Any = True,
    shuffle_buffer_size: Any = 10000,
    shuffle_seed: Any = None,
    prefetch_buffer_size: Any = None,
    reader_num_threads: Any = None,
    parser_num_threads: Any = None,
    sloppy_ordering: Any = False,
    drop_final_batch: Any = False,
) -> Any:
    """Batches of the features of examples in files, or pairs of them and the feature `label_key`.

    The examples are the elements of `reader(name, *reader_args)`, by default `tf.data.TFRecordDataset`, or the second
    components of pairs. They are shuffled, and repeated for ever, unless `shuffle` is False and `num_epochs` a number.
    `reader_num_threads` files are read in turn, always in order, also if `sloppy_ordering`. `reader` is called for each
    file.

    Raises: InvalidArgumentError if no file matches; ValueError for an unknown label; TypeError unless `reader` returns
      a dataset; as `tf.data.experimental.parse_example_dataset`.
    Source: TF 2.21 `tf.data.experimental.make_batched_features_dataset`.
    """
    del parser_num_threads, sloppy_ordering  # the order is kept
    if label_key and label_key not in features:
        raise ValueError(
            f"The `label_key` provided ({label_key}) must be one of the `features` keys: {features.keys()}."
        )
    names = Dataset.list_files(file_pattern, shuffle, shuffle_seed)
    read = TFRecordDataset if reader is None else reader

    def opened(name: str) -> Node:
        found = read(name, *(reader_args or ()))
        if not isinstance(found, AnyDataset):
            raise TypeError(f"The `reader` argument must return a `Dataset` object, got {found!r}.")
        return found._node

    (first,) = Dataset.list_files(file_pattern, shuffle=False).take(1).as_numpy_iterator()
    example = opened(first.decode(errors="surrogateescape"))
    cycle = 1 if reader_num_threads is None else reader_num_threads
    dataset = made(in_turn(names._node, example.structure, opened, cycle, has_records=True))
    if isinstance(dataset.element_spec, tuple) and len(dataset.element_spec) == 2:
        dataset = made(Rearranged(dataset._node, lambda pair: pair[1]))
    dataset = shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    dataset = dataset.apply(parse_example_dataset(features))
    if label_key:
        dataset = made(Rearranged(dataset._node, lambda found: (found, found.pop(label_key))))
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)
