"""The functions of `tf.data.experimental` that take functions of elements: methods of datasets, for `Dataset.apply`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Transformation = Callable[[Any], Any]


def map_and_batch(
    map_func: Any,
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """The transformation of `map`, then `batch`.

    Raises: ValueError, when it is applied, if both `num_parallel_batches` and `num_parallel_calls` are given.
    Source: TF 2.21 `tf.data.experimental.map_and_batch`.
    """

    def apply(dataset: Any) -> Any:
        calls = num_parallel_calls
        if num_parallel_batches is not None:
            if calls is not None:
                raise ValueError("`map_and_batch` allows only one of `num_parallel_batches` and `num_parallel_calls`.")
            calls = batch_size * num_parallel_batches
        return dataset.map(map_func, calls).batch(batch_size, drop_remainder)

    return apply


def scan(initial_state: Any, scan_func: Any) -> Transformation:
    """As `tf.data.Dataset.scan`. Source: TF 2.21 `tf.data.experimental.scan`."""
    return lambda dataset: dataset.scan(initial_state, scan_func)


def rejection_resample(class_func: Any, target_dist: Any, initial_dist: Any = None, seed: Any = None) -> Transformation:
    """As `tf.data.Dataset.rejection_resample`. Source: TF 2.21 `tf.data.experimental.rejection_resample`."""
    return lambda dataset: dataset.rejection_resample(class_func, target_dist, initial_dist, seed)


def take_while(predicate: Any) -> Transformation:
    """As `tf.data.Dataset.take_while`. Source: TF 2.21 `tf.data.experimental.take_while`."""
    return lambda dataset: dataset.take_while(predicate)


def group_by_window(
    key_func: Any, reduce_func: Any, window_size: Any = None, window_size_func: Any = None
) -> Transformation:
    """As `tf.data.Dataset.group_by_window`. Source: TF 2.21 `tf.data.experimental.group_by_window`."""
    return lambda dataset: dataset.group_by_window(key_func, reduce_func, window_size, window_size_func)


def bucket_by_sequence_length(
    element_length_func: Any,
    bucket_boundaries: Any,
    bucket_batch_sizes: Any,
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: Any = False,
    no_padding: Any = False,
    drop_remainder: Any = False,
) -> Transformation:
    """As `tf.data.Dataset.bucket_by_sequence_length`.

    Source: TF 2.21 `tf.data.experimental.bucket_by_sequence_length`.
    """
    return lambda dataset: dataset.bucket_by_sequence_length(
        element_length_func,
        bucket_boundaries,
        bucket_batch_sizes,
        padded_shapes,
        padding_values,
        pad_to_bucket_boundary,
        no_padding,
        drop_remainder,
    )


def parallel_interleave(
    map_func: Any,
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: Any = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Transformation:
    """As `tf.data.Dataset.interleave`, always in order: datasets are not read ahead.

    Source: TF 2.21 `tf.data.experimental.parallel_interleave`.
    """
    del sloppy, buffer_output_elements, prefetch_input_elements
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length)
