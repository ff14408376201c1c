"""`tf.AggregationMethod`: how gradients of several uses are added up, which XLA decides."""

from __future__ import annotations


class AggregationMethod:
    """Ways to add gradients up. All give the same sum, by one program.

    Source: TF 2.21 `tf.AggregationMethod`.
    """

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2
