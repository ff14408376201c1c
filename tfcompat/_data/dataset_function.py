"""The methods of `tf.data.Dataset` that take functions of elements."""

from __future__ import annotations

from typing import Any

from tfcompat._data.dataset_source import made
from tfcompat._data.dataset_spec import AnyDataset
from tfcompat._data.filtering import Filter, TakeWhile
from tfcompat._data.mapping import Map, require_calls


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
