"""`RowPartition`, the division of values into rows."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

RowPartition = tf.experimental.RowPartition
SPLITS = RowPartition.from_row_splits([0, 2, 2, 5])
UNIFORM = RowPartition.from_uniform_row_length(2, nvals=6)
MADE = {
    "row_splits": (lambda: RowPartition.from_row_splits([0, 2, 2, 5]), "row_splits=[0 2 2 5]", tf.int64),
    "row_splits unchecked": (
        lambda: RowPartition.from_row_splits([0, 2, 1], validate=False),
        "row_splits=[0 2 1]",
        tf.int64,
    ),
    "row_splits as int32": (
        lambda: RowPartition.from_row_splits([0, 2], dtype=tf.int32),
        "row_splits=[0 2]",
        tf.int32,
    ),
    "row_splits as hinted": (
        lambda: RowPartition.from_row_splits([0, 2], dtype_hint=tf.int32),
        "row_splits=[0 2]",
        tf.int32,
    ),
    "row_splits with a dtype": (
        lambda: RowPartition.from_row_splits(np.array([0, 2], np.int32)),
        "row_splits=[0 2]",
        tf.int32,
    ),
    "row_lengths": (lambda: RowPartition.from_row_lengths([2, 0, 3]), "row_splits=[0 2 2 5]", tf.int64),
    "row_starts": (lambda: RowPartition.from_row_starts([0, 2, 2], nvals=5), "row_splits=[0 2 2 5]", tf.int64),
    "row_starts of nothing": (lambda: RowPartition.from_row_starts([], nvals=0), "row_splits=[0]", tf.int64),
    "row_limits": (lambda: RowPartition.from_row_limits([2, 2, 5]), "row_splits=[0 2 2 5]", tf.int64),
    "row_limits of nothing": (lambda: RowPartition.from_row_limits([]), "row_splits=[0]", tf.int64),
    "value_rowids": (lambda: RowPartition.from_value_rowids([0, 0, 2]), "row_splits=[0 2 2 3]", tf.int64),
    "value_rowids and nrows": (
        lambda: RowPartition.from_value_rowids([0, 0, 2], nrows=5),
        "row_splits=[0 2 2 3 3 3]",
        tf.int64,
    ),
    "value_rowids of nothing": (lambda: RowPartition.from_value_rowids([], nrows=2), "row_splits=[0 0 0]", tf.int64),
    "uniform_row_length and nvals": (
        lambda: RowPartition.from_uniform_row_length(2, nvals=6),
        "nrows=3, uniform_row_length=2",
        tf.int64,
    ),
    "uniform_row_length and nrows": (
        lambda: RowPartition.from_uniform_row_length(2, nrows=3),
        "nrows=3, uniform_row_length=2",
        tf.int64,
    ),
    "uniform_row_length 0": (
        lambda: RowPartition.from_uniform_row_length(0, nvals=0, nrows=3),
        "nrows=3, uniform_row_length=0",
        tf.int64,
    ),
    "uniform_row_length with a dtype": (
        lambda: RowPartition.from_uniform_row_length(tf.constant(2), tf.constant(4)),
        "nrows=2, uniform_row_length=2",
        tf.int32,
    ),
    "with_dtype": (lambda: SPLITS.with_dtype("int32"), "row_splits=[0 2 2 5]", tf.int32),
}
REFUSED = {
    "constructor": (lambda: RowPartition([0, 1]), ValueError),
    "empty row_splits": (lambda: RowPartition.from_row_splits([]), ValueError),
    "row_splits from 1": (lambda: RowPartition.from_row_splits([1, 2]), tf.errors.InvalidArgumentError),
    "falling row_splits": (lambda: RowPartition.from_row_splits([0, 2, 1]), tf.errors.InvalidArgumentError),
    "matrix of row_splits": (lambda: RowPartition.from_row_splits([[0, 2]]), ValueError),
    "row_splits of fractions": (lambda: RowPartition.from_row_splits([0.0, 2.0]), ValueError),
    "row_splits of another dtype": (
        lambda: RowPartition.from_row_splits(tf.constant([0, 2]), dtype=tf.int64),
        ValueError,
    ),
    "negative row_lengths": (lambda: RowPartition.from_row_lengths([-1]), tf.errors.InvalidArgumentError),
    "row_starts from 1": (lambda: RowPartition.from_row_starts([1], nvals=5), tf.errors.InvalidArgumentError),
    "row_starts beyond": (lambda: RowPartition.from_row_starts([0, 6], nvals=5), tf.errors.InvalidArgumentError),
    "falling row_limits": (lambda: RowPartition.from_row_limits([2, 1]), tf.errors.InvalidArgumentError),
    "falling value_rowids": (lambda: RowPartition.from_value_rowids([1, 0]), tf.errors.InvalidArgumentError),
    "too few nrows": (lambda: RowPartition.from_value_rowids([0, 3], nrows=2), ValueError),
    "uniform_row_length alone": (lambda: RowPartition.from_uniform_row_length(2), ValueError),
    "uneven uniform_row_length": (lambda: RowPartition.from_uniform_row_length(2, nvals=5), ValueError),
    "negative uniform_row_length": (lambda: RowPartition.from_uniform_row_length(-1, nvals=5), ValueError),
    "other dtype": (lambda: SPLITS.with_dtype(tf.float32), ValueError),
}
PARTS = {
    "row_splits": ([0, 2, 2, 5], [0, 2, 4, 6]),
    "row_lengths": ([2, 0, 3], [2, 2, 2]),
    "row_starts": ([0, 2, 2], [0, 2, 4]),
    "row_limits": ([2, 2, 5], [2, 4, 6]),
    "value_rowids": ([0, 0, 2, 2, 2], [0, 0, 1, 1, 2, 2]),
    "offsets_in_rows": ([0, 1, 0, 1, 2], [0, 1, 0, 1, 0, 1]),
    "nrows": (3, 3),
    "nvals": (5, 6),
}


@pytest.mark.parametrize("name", MADE)
def test_partitions_are_made(name):
    make, text, dtype = MADE[name]
    assert repr(make()) == f"tf.RowPartition({text})"
    assert make().dtype == dtype


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    make, error = REFUSED[name]
    with pytest.raises(error):
        make()


@pytest.mark.parametrize("is_traced", [False, True])
@pytest.mark.parametrize("name", PARTS)
def test_parts(name, is_traced):
    for partition, want in zip((SPLITS, UNIFORM), PARTS[name], strict=True):
        for dtype in (tf.int64, tf.int32):
            cast = partition.with_dtype(dtype)
            part = tf.function(lambda rows: getattr(rows, name)()) if is_traced else lambda rows: getattr(rows, name)()
            found = part(cast)
            assert found.dtype == dtype
            assert found.numpy().tolist() == want


def test_what_is_known_without_values():
    by_rowids = RowPartition.from_value_rowids([0, 0, 2])
    known = [(each.static_nrows, each.static_nvals, each.static_uniform_row_length) for each in (SPLITS, UNIFORM)]
    assert known == [(3, None, None), (3, 6, 2)]
    assert (by_rowids.static_nrows, by_rowids.static_nvals) == (3, 3)
    assert (SPLITS.is_uniform(), UNIFORM.is_uniform()) == (False, True)
    assert SPLITS.uniform_row_length() is None
    assert UNIFORM.uniform_row_length().numpy() == 2
    assert SPLITS.with_dtype(tf.int64) is SPLITS


def test_partitions_are_composites_of_their_splits():
    assert tf.nest.flatten(SPLITS) == [SPLITS]
    (splits,) = tf.nest.flatten(UNIFORM, expand_composites=True)
    assert splits.numpy().tolist() == [0, 2, 4, 6]
    doubled = tf.nest.map_structure(lambda part: part * 2, UNIFORM, expand_composites=True)
    assert repr(doubled) == "tf.RowPartition(row_splits=[ 0  4  8 12])"
    assert repr(tf.function(lambda rows: rows)(SPLITS)) == repr(SPLITS)


def test_partitions_are_made_in_functions():
    @tf.function
    def function(splits, lengths):
        ones = RowPartition.from_row_splits(splits), RowPartition.from_row_lengths(lengths)
        return ones[0].row_lengths(), ones[1].row_splits(), ones[1].nvals()

    lengths, splits, nvals = function(tf.constant([0, 2, 5]), tf.constant([0, 2, 5]))
    assert (lengths.numpy().tolist(), splits.numpy().tolist(), nvals.numpy()) == ([2, 3], [0, 0, 2, 7], 7)


def test_specs_of_partitions():
    assert repr(tf.type_spec_from_value(SPLITS)) == (
        "RowPartitionSpec(nrows=3, nvals=None, uniform_row_length=None, dtype=tf.int64)"
    )
    spec, other = tf.type_spec_from_value(SPLITS), tf.type_spec_from_value(UNIFORM)
    assert spec.is_compatible_with(tf.type_spec_from_value(RowPartition.from_row_splits([0, 2, 2, 7])))
    assert not spec.is_compatible_with(tf.type_spec_from_value(SPLITS.with_dtype(tf.int32)))
    assert other.is_subtype_of(spec)
    assert not spec.is_subtype_of(other)
    assert spec.most_specific_common_supertype([other]) == spec
    assert spec.value_type is RowPartition
