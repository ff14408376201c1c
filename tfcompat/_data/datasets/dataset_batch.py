"""The methods of `tf.data.Dataset` that make batches of elements, and elements of batches."""

from __future__ import annotations

from typing import Any

from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import int64
from tfcompat._data.blocks.dataset_spec import AnyDataset
from tfcompat._data.datasets.dataset_source import made
from tfcompat._data.functional.padding import PaddedBatch, SparseBatch, ragged_batch
from tfcompat._data.nodes.batching import Batch, Rebatch
from tfcompat._data.nodes.holding import Window
from tfcompat._data.nodes.node import Node, integer
from tfcompat._data.nodes.template import counted
from tfcompat._data.nodes.unbatching import Unbatch


class Batching(AnyDataset):
    """The methods of `tf.data.Dataset` that make batches of elements, and elements of batches."""

    def batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        num_parallel_calls: Any = None,
        deterministic: Any = None,
        name: str | None = None,
    ) -> Any:
        """Batches of `batch_size` elements; a last batch with fewer is left out if `drop_remainder`.

        Batches are cheap, and always made in order, whatever `num_parallel_calls` and `deterministic`.

        Raises: InvalidArgumentError if `batch_size` is not positive, and, when the batch is read, if shapes differ;
          TypeError or ValueError if it cannot be converted to int64.
        Source: TF 2.21 `tf.data.Dataset.batch`.
        """
        del deterministic, name
        label = "_BatchDataset"
        if num_parallel_calls is not None:
            label = "_ParallelBatchDataset"
            calls = integer(num_parallel_calls, "num_parallel_calls")
            if calls <= 0 and calls != -1:
                raise InvalidArgumentError.of("num_parallel_calls must be greater than zero.")

        def batched(node: Node, size: Any) -> Node:
            return Batch(node, size, drop_remainder, label)

        return made(counted(batched, self._node, batch_size, like=lambda: Batch(self._node, 1, False, label)))

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> Any:
        """Batches of elements that are padded to one shape.

        `padded_shapes` has a shape for each component, where None stands for the largest size in the batch, which is
        also the default for unknown sizes. `padding_values` has a scalar for each component, or is one for all.

        Raises: TypeError for padding of another dtype, and for composite components; ValueError for shapes that do not
          fit; DataLossError, when the batch is read, if an element is larger.
        Source: TF 2.21 `tf.data.Dataset.padded_batch`.
        """
        del name

        def padded(node: Node, size: Any, drops: Any = drop_remainder) -> Node:
            return PaddedBatch(node, size, padded_shapes, padding_values, drops)

        return made(counted(padded, self._node, batch_size, like=lambda: padded(self._node, 1, False)))

    def ragged_batch(
        self, batch_size: Any, drop_remainder: Any = False, row_splits_dtype: Any = int64, name: str | None = None
    ) -> Any:
        """Batches in which components of partly unknown shape are ragged tensors.

        Raises: InvalidArgumentError if `batch_size` is not positive.
        Source: TF 2.21 `tf.data.Dataset.ragged_batch`.
        """
        del name
        return made(ragged_batch(self._node, batch_size, drop_remainder, row_splits_dtype))

    def sparse_batch(self, batch_size: Any, row_shape: Any, name: str | None = None) -> Any:
        """Batches as sparse tensors with rows of `row_shape`, which elements may not exceed.

        Raises: TypeError for elements of several components; DataLossError, when the batch is read, if an element is
          larger.
        Source: TF 2.21 `tf.data.Dataset.sparse_batch`.
        """
        del name
        return made(SparseBatch(self._node, batch_size, row_shape))

    def unbatch(self, name: str | None = None) -> Any:
        """The rows of all elements.

        Raises: ValueError for scalars, or if components are known to differ in their number of rows;
          InvalidArgumentError when that is found in an element.
        Source: TF 2.21 `tf.data.Dataset.unbatch`.
        """
        del name
        return made(Unbatch(self._node))

    def rebatch(self, batch_size: Any, drop_remainder: Any = False, name: str | None = None) -> Any:
        """The rows of all elements in batches of other sizes: `batch_size`, or the sizes in it in turn.

        Raises: ValueError for scalar elements.
        Source: TF 2.21 `tf.data.Dataset.rebatch`.
        """
        del name
        return made(Rebatch(self._node, batch_size, drop_remainder))

    def window(
        self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: Any = False, name: str | None = None
    ) -> Any:
        """Datasets of `size` elements, `stride` apart; each begins `shift` elements (default `size`) after the last.

        Elements of several components become as many datasets.

        Raises: InvalidArgumentError if one of the numbers is not positive.
        Source: TF 2.21 `tf.data.Dataset.window`.
        """
        del name

        def windows(node: Node, size: Any, shift: Any, stride: Any) -> Node:
            return Window(node, size, shift, stride, drop_remainder)

        return made(counted(windows, self._node, size, shift, stride, like=lambda: windows(self._node, 1, 1, 1)))
