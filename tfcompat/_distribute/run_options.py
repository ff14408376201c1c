"""The options of a call of `tf.distribute.Strategy.run`."""

from __future__ import annotations

from typing import NamedTuple


class XLAOptions(NamedTuple):
    """Options for XLA on TPUs: how it divides a replica over several cores, and how it pads tensors of open sizes.

    They change nothing: a replica has one core, and XLA knows all sizes.

    Source: TF 2.21 `tf.tpu.XLAOptions`.
    """

    use_spmd_for_xla_partitioning: bool = True
    enable_xla_dynamic_padder: bool = True
    use_shardy_partitioner: bool = False


class RunOptions(NamedTuple):
    """Options of `tf.distribute.Strategy.run` for TPUs and batches of open sizes. They change nothing, as `XLAOptions`.

    Source: TF 2.21 `tf.distribute.RunOptions`.
    """

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: XLAOptions | None = None
