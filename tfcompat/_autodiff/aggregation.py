"""`tf.AggregationMethod`: how gradients of several uses are added. XLA chooses the method."""

from __future__ import annotations


class AggregationMethod:
    """Methods of adding gradients. All of them compute the same sum, by the same program.

    Source: TF 2.21 `tf.AggregationMethod`.
    """

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2
