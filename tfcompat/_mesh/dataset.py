"""`tf.experimental.dtensor.DTensorDataset`: batches of a dataset on a mesh."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.types import nest
from tfcompat._data.blocks.dataset_spec import require_eager
from tfcompat._data.datasets.dataset import Dataset
from tfcompat._mesh.layout import Layout
from tfcompat._mesh.mesh import Mesh
from tfcompat._mesh.transfer import relayout


class DTensorDataset(Dataset):
    """The elements of `dataset`, batched, as tensors on `mesh` with `layouts`. It can be iterated over.

    Args:
      dataset: the dataset; `dataset_already_batched`: whether its elements are batches for one replica.
      mesh: the mesh; `batch_dim`: its dimension that divides the batches, if any. Its size is the number of replicas.
      layouts: the layouts of the components of a batch, in the structure of an element.
      global_batch_size: the number of elements in a batch; a last batch with fewer is left out.
      prefetch: the number of batches that are read ahead.
      tf_data_service_config: only None.

    Raises: ValueError if layouts and elements don't agree; NotImplementedError for a data service; its iterator raises
      UnknownError if the mesh does not divide the batch size.
    Source: TF 2.21 `tf.experimental.dtensor.DTensorDataset`.
    """

    def __init__(
        self,
        dataset: Dataset,
        *,
        mesh: Mesh,
        layouts: Any,
        global_batch_size: int,
        dataset_already_batched: bool = False,
        batch_dim: str | None = None,
        prefetch: int | None = None,
        tf_data_service_config: Any = None,
    ) -> None:
        if tf_data_service_config is not None:
            raise NotImplementedError("Multi-client DTensorDataset is currently not supported.")
        self._node = dataset._node
        nest.assert_same_structure(dataset.element_spec, layouts)
        flat: list[Layout] = nest.flatten(layouts)
        specs: list[TensorSpec] = nest.flatten(dataset.element_spec)
        replicas = 1
        if batch_dim:
            replicas = mesh.dim_size(batch_dim)
            if other := next((layout for layout in flat if layout.sharding_specs[:1] != [batch_dim]), None):
                raise ValueError(
                    f"batch_dim {batch_dim} was specified but at least one layout did not contain it: {other}"
                )
        _require_fit(flat, specs, is_batched=dataset_already_batched)
        size = global_batch_size // replicas
        if dataset_already_batched:
            given = specs[0].shape.as_list()[0]
            if given != size:
                raise ValueError(
                    "per_replica_batch_size does not matched expected size based on the mesh, "
                    f"got {given} but expected {size}."
                )
            dataset = dataset.unbatch()
        self._layouts = flat
        self._batches = dataset.batch(global_batch_size, drop_remainder=True)
        if prefetch is not None:
            self._batches = self._batches.prefetch(prefetch)

    @property
    def element_spec(self) -> Any:
        """The type of a batch: a structure of specs."""
        return self._batches.element_spec

    def __iter__(self) -> Any:
        require_eager("__iter__")
        return _Batches(self._batches, self._layouts)

    def __repr__(self) -> str:
        return f"<DTensorDataset element_spec={self.element_spec}>"


class _Batches:
    """An iterator over batches on a mesh.

    Attributes:
      element_spec: the type of a batch.
    """

    def __init__(self, dataset: Dataset, layouts: Sequence[Layout]) -> None:
        self.element_spec = dataset.element_spec
        self._iterator = iter(dataset)
        self._layouts = layouts

    def get_next(self) -> Any:
        """The next batch. Raises OutOfRangeError at the end."""
        return self._placed(self._iterator.get_next())

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        return self._placed(next(self._iterator))

    def _placed(self, batch: Any) -> Any:
        flat = zip(nest.flatten(batch), self._layouts, strict=True)
        return nest.pack_sequence_as(batch, [relayout(tensor, layout) for tensor, layout in flat])


def _require_fit(layouts: Sequence[Layout], specs: Sequence[TensorSpec], *, is_batched: bool) -> None:
    """Raises ValueError unless each of `layouts` has the rank of a batch of its spec, and batches have known sizes."""
    if not specs:
        raise ValueError("Expected input element spec of at least one element, was empty.")
    for layout, spec in zip(layouts, specs, strict=True):
        if spec.shape.rank is None:
            raise ValueError(f"Dataset element shape must have a valid rank, got spec {spec}.")
        rank = spec.shape.rank + (not is_batched)
        if layout.rank != rank:
            raise ValueError(
                f"Expected layout with rank {rank} for element spec {spec}, got layout {layout.sharding_specs}. Check "
                "that the dataset is not batched before passing to DTensorDataset."
            )
        if is_batched and spec.shape.as_list()[0] is None:
            raise ValueError(
                f"Size of batch dimension of element spec {spec} is None. Ensure drop_remainder=True when batching the "
                "dataset."
            )
        if is_batched and spec.shape.as_list()[0] != specs[0].shape.as_list()[0]:
            raise ValueError(
                f"Size of batch dimension of element spec {spec} does not match expected size "
                f"{specs[0].shape.as_list()[0]}."
            )
