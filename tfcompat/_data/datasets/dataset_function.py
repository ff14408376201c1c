"""The methods of `tf.data.Dataset` that take functions of elements."""

from __future__ import annotations

from typing import Any

from tfcompat._data.blocks.dataset_spec import AnyDataset
from tfcompat._data.datasets.dataset_source import made
from tfcompat._data.datasets.resampling import resampled
from tfcompat._data.functional.filtering import Filter, TakeWhile
from tfcompat._data.functional.folding import Scan, reduced
from tfcompat._data.functional.grouping import Buckets, bucketed, grouped
from tfcompat._data.functional.interleaving import Interleave, interleaved
from tfcompat._data.functional.mapping import Map, require_calls


class Functions(AnyDataset):
    """The methods of `tf.data.Dataset` that take functions of elements.

    The Python function runs once, when the method is called, under AutoGraph and with symbolic arguments, and its trace
    computes all elements: elements of one shape in blocks. A tuple is passed as several arguments.
    """

    def map(
        self,
        map_func: Any,
        num_parallel_calls: Any = None,
        deterministic: Any = None,
        synchronous: Any = None,
        use_unbounded_threadpool: Any = False,
        name: str | None = None,
    ) -> Any:
        """The results of `map_func` for each element, always in order, whatever the number of parallel calls.

        Each iterator draws the random numbers of a new `tf.function`. An error in the values of an element is raised
        where that element is read; the next read gets the element after it.

        Raises: the errors of `map_func`; ValueError if it cannot be called; TypeError if it returns anything but
          tensors; NotImplementedError for strings that it computes with, for composite tensors, and where a size
          depends on values; InvalidArgumentError unless `num_parallel_calls` is positive or AUTOTUNE.
        Source: TF 2.21 `tf.data.Dataset.map`.
        """
        del deterministic, use_unbounded_threadpool, name
        is_parallel = num_parallel_calls is not None
        if is_parallel and synchronous:
            raise ValueError("`synchronous` is not supported with `num_parallel_calls`, but `synchronous` was True.")
        found = Map(self._node, map_func, "tf.data.Dataset.map", is_parallel)
        require_calls(num_parallel_calls)
        return made(found)

    def filter(self, predicate: Any, name: str | None = None) -> Any:
        """The elements for which `predicate` is true.

        Raises: as `map`; ValueError unless it returns a scalar of dtype bool.
        Source: TF 2.21 `tf.data.Dataset.filter`.
        """
        del name
        return made(Filter(self._node, predicate, "tf.data.Dataset.filter"))

    def take_while(self, predicate: Any, name: str | None = None) -> Any:
        """The elements before the first for which `predicate` is false.

        Raises: as `filter`.
        Source: TF 2.21 `tf.data.Dataset.take_while`.
        """
        del name
        return made(TakeWhile(self._node, predicate, "tf.data.Dataset.take_while"))

    def reduce(self, initial_state: Any, reduce_func: Any, name: str | None = None) -> Any:
        """The last state: `reduce_func(state, element)` is the next one, and `initial_state` the first.

        An element is one argument, even if it is a tuple. The function is traced again if sizes of the state change.

        Raises: as `map`; TypeError if the new state has other dtypes or another structure; the error of an element.
        Source: TF 2.21 `tf.data.Dataset.reduce`.
        """
        del name
        return reduced(self._node, initial_state, reduce_func)

    def scan(self, initial_state: Any, scan_func: Any, name: str | None = None) -> Any:
        """The outputs of `scan_func(state, element)`, which returns a new state and an output.

        Raises: as `reduce`, but the error of an element when it is read; TypeError unless the function returns a pair.
        Source: TF 2.21 `tf.data.Dataset.scan`.
        """
        del name
        return made(Scan(self._node, initial_state, scan_func))

    def rejection_resample(
        self, class_func: Any, target_dist: Any, initial_dist: Any = None, seed: Any = None, name: str | None = None
    ) -> Any:
        """Pairs of a class and an element, of which some are left out, so that the classes have the target's shares.

        `class_func` returns the number of the class of an element, an int32. Shares that `initial_dist` does not give
        are estimated. If at least half of the elements are left out by known shares, a warning is logged.

        Raises: as `map`, `filter` and `sample_from_datasets`.
        Source: TF 2.21 `tf.data.Dataset.rejection_resample`.
        """
        del name
        return resampled(self, class_func, target_dist, initial_dist, seed)

    def flat_map(self, map_func: Any, name: str | None = None) -> Any:
        """The elements of the datasets that `map_func` returns, one dataset after the other.

        The function may make datasets of the values of its arguments with `from_tensors`, `from_tensor_slices` and
        `range`, and transform them and the datasets among its arguments.

        Raises: as `map`; AttributeError unless the function returns a dataset.
        Source: TF 2.21 `tf.data.Dataset.flat_map`.
        """
        del name
        return made(Interleave(self._node, map_func, "tf.data.Dataset.flat_map", "_FlatMapDataset", 1, 1))

    def interleave(
        self,
        map_func: Any,
        cycle_length: Any = None,
        block_length: Any = None,
        num_parallel_calls: Any = None,
        deterministic: Any = None,
        name: str | None = None,
    ) -> Any:
        """The elements of the datasets that `map_func` returns, `block_length` from each of `cycle_length` in turn.

        Without `cycle_length` it is the number of cores, or a third of it if `num_parallel_calls` is given. The order
        is always that without parallel calls.

        Raises: as `flat_map`; InvalidArgumentError for numbers that are not positive, and for more parallel calls than
          datasets in a cycle.
        Source: TF 2.21 `tf.data.Dataset.interleave`.
        """
        del deterministic, name
        is_parallel = require_calls(num_parallel_calls)
        return made(
            interleaved(self._node, map_func, cycle_length, block_length, num_parallel_calls, is_parallel=is_parallel)
        )

    def group_by_window(
        self,
        key_func: Any,
        reduce_func: Any,
        window_size: Any = None,
        window_size_func: Any = None,
        name: str | None = None,
    ) -> Any:
        """The elements of `reduce_func(key, group)` for groups of elements for which `key_func` is `key`.

        A group is a dataset of `window_size` or `window_size_func(key)` elements, which comes as soon as it is full.
        Groups that are not full come at the end, in the order of their keys.

        Raises: as `map`; ValueError unless one size is given, and unless keys are int64; TypeError unless `reduce_func`
          returns a dataset.
        Source: TF 2.21 `tf.data.Dataset.group_by_window`.
        """
        del name
        return made(grouped(self._node, key_func, reduce_func, window_size, window_size_func))

    def bucket_by_sequence_length(
        self,
        element_length_func: Any,
        bucket_boundaries: Any,
        bucket_batch_sizes: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: Any = False,
        no_padding: Any = False,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> Any:
        """Padded batches of elements of similar lengths: those between two of the `bucket_boundaries`.

        A boundary belongs to the bucket above it. `bucket_batch_sizes` has one more number than there are boundaries.

        Raises: as `map` and `padded_batch`; ValueError for another number of sizes; InternalError, when it is read, for
          an element as long as the last boundary, with `pad_to_bucket_boundary`.
        Source: TF 2.21 `tf.data.Dataset.bucket_by_sequence_length`.
        """
        del name
        return made(
            bucketed(
                self._node,
                element_length_func,
                Buckets(bucket_boundaries, bucket_batch_sizes),
                padded_shapes,
                padding_values,
                pads_to_boundary=bool(pad_to_bucket_boundary),
                no_padding=bool(no_padding),
                drop_remainder=bool(drop_remainder),
            )
        )
