"""The methods of `tf.data.Dataset` that choose, repeat and reorder elements."""

from __future__ import annotations

from typing import Any

from tfcompat._core.types.dtype import int64
from tfcompat._data.blocks.dataset_spec import AnyDataset
from tfcompat._data.datasets.dataset_source import made
from tfcompat._data.functional.shuffling import Shuffle
from tfcompat._data.nodes.checking import WithoutErrors
from tfcompat._data.nodes.holding import Unique
from tfcompat._data.nodes.node import Node, flag, integer
from tfcompat._data.nodes.prefetching import Prefetch
from tfcompat._data.nodes.sequence import Concatenate, Repeat, Shard, Skip, Take
from tfcompat._data.nodes.source import Progression
from tfcompat._data.nodes.template import counted
from tfcompat._data.nodes.zipping import Zip


class Ordering(AnyDataset):
    """The methods of `tf.data.Dataset` that choose, repeat and reorder elements."""

    def take(self, count: Any, name: str | None = None) -> Any:
        """The first `count` elements; all if that is negative.

        Source: TF 2.21 `tf.data.Dataset.take`.
        """
        del name
        return made(counted(Take, self._node, count))

    def skip(self, count: Any, name: str | None = None) -> Any:
        """The elements after the first `count`; none if that is negative.

        Source: TF 2.21 `tf.data.Dataset.skip`.
        """
        del name
        return made(counted(Skip, self._node, count))

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Any:
        """Each `num_shards`-th element, beginning with the one at `index`.

        Raises: InvalidArgumentError unless 0 <= index < num_shards.
        Source: TF 2.21 `tf.data.Dataset.shard`.
        """
        del name
        return made(counted(Shard, self._node, num_shards, index))

    def repeat(self, count: Any = None, name: str | None = None) -> Any:
        """The elements `count` times, each time in a new iteration; for ever if that is None or negative.

        Source: TF 2.21 `tf.data.Dataset.repeat`.
        """
        del name
        return made(counted(Repeat, self._node, count))

    def concatenate(self, dataset: Any, name: str | None = None) -> Any:
        """The elements of this dataset, then those of `dataset`.

        Raises: TypeError if the elements have no common type.
        Source: TF 2.21 `tf.data.Dataset.concatenate`.
        """
        del name
        if not isinstance(dataset, AnyDataset):
            raise AttributeError(f"'{type(dataset).__name__}' object has no attribute 'element_spec'")
        return made(Concatenate(self._node, dataset._node))

    def enumerate(self, start: Any = 0, name: str | None = None) -> Any:
        """Pairs of a number, int64, and an element; the numbers begin with `start`.

        Source: TF 2.21 `tf.data.Dataset.enumerate`.
        """
        del name
        return made(counted(_enumerated, self._node, start, like=lambda: _enumerated(self._node, 0)))

    def shuffle(
        self, buffer_size: Any, seed: Any = None, reshuffle_each_iteration: Any = True, name: str | None = None
    ) -> Any:
        """The elements in random order, from a buffer of `buffer_size` of them, or of all for `UNKNOWN_CARDINALITY`.

        The order is TensorFlow's. It differs in each iteration of this object unless `reshuffle_each_iteration` is
        False. Without `seed` it takes one from the program's count, as an op does.

        Raises: InvalidArgumentError for another number that is not positive; TypeError for other values.
        Source: TF 2.21 `tf.data.Dataset.shuffle`.
        """
        del name
        return made(Shuffle(self._node, buffer_size, seed, reshuffle_each_iteration))

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Any:
        """The elements, of which a thread reads `buffer_size` ahead; it chooses the number for `tf.data.AUTOTUNE`.

        Raises: InvalidArgumentError for less than -1.
        Source: TF 2.21 `tf.data.Dataset.prefetch`.
        """
        del name
        return made(Prefetch(self._node, buffer_size))

    def unique(self, name: str | None = None) -> Any:
        """The elements without those that are equal to an earlier one.

        Raises: TypeError unless they are int32, int64 or strings; InvalidArgumentError for several components.
        Source: TF 2.21 `tf.data.Dataset.unique`.
        """
        del name
        return made(Unique(self._node))

    def ignore_errors(self, log_warning: Any = False, name: str | None = None) -> Any:
        """The elements without those that have an error, which is logged if `log_warning`.

        Source: TF 2.21 `tf.data.Dataset.ignore_errors`.
        """
        del name
        return made(WithoutErrors(self._node, flag(log_warning, "log_warning")))


def _enumerated(node: Node, start: Any) -> Node:
    numbers = Progression("_RangeDataset", integer(start, "start"), None, 1, int64)
    return Zip([numbers, node], (numbers.structure.spec, node.structure.spec))
