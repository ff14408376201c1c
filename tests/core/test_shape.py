"""`TensorShape` as TensorFlow 2.21 behaves."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from tests.naming import name_of
from tfcompat._core.types.dimension import Dimension
from tfcompat._core.types.shape import TensorShape

KNOWN = TensorShape([2, 3])
PARTIAL = TensorShape([None, 3])
UNKNOWN = TensorShape(None)


class Indexable:
    def __index__(self):
        return 4


@pytest.mark.parametrize(
    ("dims", "shown"),
    [
        (3, "TensorShape([3])"),
        ((), "TensorShape([])"),
        ([], "TensorShape([])"),
        (None, "TensorShape(None)"),
        ((2, None), "TensorShape([2, None])"),
        ([None], "TensorShape([None])"),
        (KNOWN, "TensorShape([2, 3])"),
        (UNKNOWN, "TensorShape(None)"),
        (np.array([2, 3]), "TensorShape([2, 3])"),
        (np.array(3), "TensorShape([3])"),
        (np.int64(3), "TensorShape([3])"),
        ([np.int32(2), np.int64(3)], "TensorShape([2, 3])"),
        ([np.array(3)], "TensorShape([3])"),
        (range(3), "TensorShape([0, 1, 2])"),
        ((size for size in [2, 3]), "TensorShape([2, 3])"),
        ([Dimension(2), Dimension(None)], "TensorShape([2, None])"),
        (Dimension(4), "TensorShape([4])"),
        (Indexable(), "TensorShape([4])"),
        ([Indexable()], "TensorShape([4])"),
        ([True], "TensorShape([True])"),
        ([2**70], "TensorShape([1180591620717411303424])"),
        ({2: 1}, "TensorShape([2])"),
        ("", "TensorShape([])"),
        (b"ab", "TensorShape([97, 98])"),
    ],
    ids=name_of,
)
def test_shape_reads_dimensions(dims, shown):
    assert repr(TensorShape(dims)) == shown


@pytest.mark.parametrize(
    "dims",
    ["23", "abc", [2.0, 3], 2.5, ["3"], [b"3"], [[2]], object(), [np.float32(3)], np.array([2.0]), np.array([[1, 2]])],
    ids=name_of,
)
def test_shape_refuses_what_is_no_dimension(dims):
    with pytest.raises(TypeError):
        TensorShape(dims)


@pytest.mark.parametrize("dims", [-1, [-1], [None, -2]], ids=name_of)
def test_shape_refuses_negative_dimensions(dims):
    with pytest.raises(ValueError, match=r"Dimension -\d must be >= 0"):
        TensorShape(dims)


def test_shape_needs_an_argument():
    with pytest.raises(TypeError):
        TensorShape()


def test_shape_of_takes_a_tuple_as_it_is():
    assert TensorShape._of((2, 3)) == KNOWN
    assert TensorShape._of(None).rank is None


@pytest.mark.parametrize(
    ("shape", "rank", "elements", "defined", "text"),
    [
        (KNOWN, 2, 6, True, "(2, 3)"),
        (PARTIAL, 2, None, False, "(None, 3)"),
        (UNKNOWN, None, None, False, "<unknown>"),
        (TensorShape([]), 0, 1, True, "()"),
        (TensorShape([3]), 1, 3, True, "(3,)"),
        (TensorShape([0, 3]), 2, 0, True, "(0, 3)"),
        (TensorShape([0, None]), 2, None, False, "(0, None)"),
    ],
    ids=name_of,
)
def test_shape_tells_what_it_knows(shape, rank, elements, defined, text):
    assert shape.rank == shape.ndims == rank
    assert shape.num_elements() == elements
    assert shape.is_fully_defined() is defined
    assert str(shape) == f"{shape}" == text


def test_shape_lists_its_dimensions():
    assert KNOWN.as_list() == [2, 3]
    assert PARTIAL.as_list() == [None, 3]
    assert repr(PARTIAL.dims) == "[Dimension(None), Dimension(3)]"
    assert TensorShape([]).dims == []
    assert UNKNOWN.dims is None
    with pytest.raises(ValueError, match="as_list\\(\\) is not defined on an unknown TensorShape"):
        UNKNOWN.as_list()


@pytest.mark.parametrize(
    ("shape", "other", "compatible"),
    [
        (KNOWN, [2, None], True),
        (KNOWN, None, True),
        (KNOWN, [2], False),
        (KNOWN, 5, False),
        (KNOWN, [2, 4], False),
        (UNKNOWN, KNOWN, True),
        (PARTIAL, (4, 3), True),
    ],
    ids=name_of,
)
def test_is_compatible_with(shape, other, compatible):
    assert shape.is_compatible_with(other) is compatible


def test_is_compatible_with_refuses_what_is_no_shape():
    with pytest.raises(TypeError):
        KNOWN.is_compatible_with("x")


@pytest.mark.parametrize(
    ("shape", "other", "merged"),
    [
        (KNOWN, [2, None], "TensorShape([2, 3])"),
        (PARTIAL, [4, None], "TensorShape([4, 3])"),
        (PARTIAL, None, "TensorShape([None, 3])"),
        (UNKNOWN, KNOWN, "TensorShape([2, 3])"),
        (UNKNOWN, None, "TensorShape(None)"),
    ],
    ids=name_of,
)
def test_merge_with_knows_what_either_knows(shape, other, merged):
    assert repr(shape.merge_with(other)) == merged


@pytest.mark.parametrize(
    ("other", "message"),
    [([3, 3], r"Shapes \(2, 3\) and \(3, 3\) are not compatible"), ([2], r"Shapes \(2, 3\) and \(2,\) are not")],
    ids=name_of,
)
def test_merge_with_refuses_disagreement(other, message):
    with pytest.raises(ValueError, match=message):
        KNOWN.merge_with(other)


@pytest.mark.parametrize(
    ("shape", "other", "shown"),
    [
        (KNOWN, [4], "TensorShape([2, 3, 4])"),
        (KNOWN, 4, "TensorShape([2, 3, 4])"),
        (KNOWN, (None,), "TensorShape([2, 3, None])"),
        (KNOWN, PARTIAL, "TensorShape([2, 3, None, 3])"),
        (KNOWN, None, "TensorShape(None)"),
        (KNOWN, UNKNOWN, "TensorShape(None)"),
        (UNKNOWN, KNOWN, "TensorShape(None)"),
    ],
    ids=name_of,
)
def test_shapes_add_by_concatenation(shape, other, shown):
    assert repr(shape.concatenate(other)) == repr(shape + other) == shown


@pytest.mark.parametrize(
    ("other", "shown"),
    [
        ([4], "TensorShape([4, 2, 3])"),
        ((1,), "TensorShape([1, 2, 3])"),
        (4, "TensorShape([4, 2, 3])"),
        (None, "TensorShape(None)"),
    ],
    ids=name_of,
)
def test_shapes_add_from_the_right(other, shown):
    assert repr(other + KNOWN) == shown


@pytest.mark.parametrize(("other", "error"), [("x", TypeError), ([2.5], TypeError), ([-1], ValueError)], ids=name_of)
def test_shapes_add_no_nonsense(other, error):
    with pytest.raises(error):
        KNOWN + other


def test_with_rank():
    assert KNOWN.with_rank(2) == [2, 3]
    assert KNOWN.with_rank(None) == [2, 3]
    assert UNKNOWN.with_rank(2).as_list() == [None, None]
    assert UNKNOWN.with_rank(0).as_list() == []
    assert KNOWN.with_rank_at_least(2) == KNOWN.with_rank_at_most(2) == [2, 3]
    assert UNKNOWN.with_rank_at_least(3).rank is UNKNOWN.with_rank_at_most(1).rank is None


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: KNOWN.with_rank(3), r"Shape \(2, 3\) must have rank 3"),
        (lambda: KNOWN.assert_has_rank(3), r"Shape \(2, 3\) must have rank 3"),
        (lambda: KNOWN.with_rank_at_least(3), r"Shape \(2, 3\) must have rank at least 3"),
        (lambda: KNOWN.with_rank_at_most(1), r"Shape \(2, 3\) must have rank at most 1"),
        (lambda: KNOWN.assert_same_rank([1]), r"Shapes \(2, 3\) and \(1,\) must have the same rank"),
        (lambda: KNOWN.assert_is_compatible_with([3, None]), r"Shapes \(2, 3\) and \[3, None\] are incompatible"),
        (lambda: PARTIAL.assert_is_fully_defined(), r"Shape \(None, 3\) is not fully defined"),
        (lambda: UNKNOWN.assert_is_fully_defined(), "Shape <unknown> is not fully defined"),
    ],
)
def test_assertions_raise_value_error(check, message):
    with pytest.raises(ValueError, match=message):
        check()


def test_assertions_accept_what_may_hold():
    KNOWN.assert_has_rank(2)
    UNKNOWN.assert_has_rank(3)
    KNOWN.assert_same_rank([1, 1])
    KNOWN.assert_same_rank(None)
    UNKNOWN.assert_same_rank([1])
    KNOWN.assert_is_compatible_with([2, None])
    KNOWN.assert_is_fully_defined()


@pytest.mark.parametrize(
    ("shape", "other", "shown"),
    [
        (KNOWN, [2, 4], "TensorShape([2, None])"),
        (KNOWN, [2, 3], "TensorShape([2, 3])"),
        (KNOWN, [2], "TensorShape(None)"),
        (KNOWN, None, "TensorShape(None)"),
        (UNKNOWN, KNOWN, "TensorShape(None)"),
        (PARTIAL, [None, 3], "TensorShape([None, 3])"),
    ],
    ids=name_of,
)
def test_most_specific_compatible_shape(shape, other, shown):
    assert repr(shape.most_specific_compatible_shape(other)) == shown


def test_is_subtype_of():
    assert KNOWN.is_subtype_of(PARTIAL)
    assert KNOWN.is_subtype_of(UNKNOWN)
    assert UNKNOWN.is_subtype_of(UNKNOWN)
    assert not PARTIAL.is_subtype_of(KNOWN)
    assert not UNKNOWN.is_subtype_of(KNOWN)
    assert not KNOWN.is_subtype_of(TensorShape([2]))
    assert not KNOWN.is_subtype_of([2, 3])


def test_most_specific_common_supertype():
    assert repr(KNOWN.most_specific_common_supertype([TensorShape([2, 4]), PARTIAL])) == "TensorShape([None, None])"
    assert repr(KNOWN.most_specific_common_supertype([TensorShape([2])])) == "TensorShape(None)"
    assert KNOWN.most_specific_common_supertype([]) == [2, 3]
    assert KNOWN.most_specific_common_supertype([KNOWN, [2, 4]]) is None


def test_shape_is_a_sequence_of_python_numbers():
    assert list(PARTIAL) == [None, 3]
    assert [*KNOWN, 4] == [2, 3, 4]
    assert list(reversed(KNOWN)) == [3, 2]
    assert max(KNOWN) == 3
    assert 3 in KNOWN
    assert len(KNOWN) == 2
    assert np.zeros(KNOWN).shape == (2, 3)
    assert type(TensorShape(np.array([2, 3]))[0]) is int


def test_unknown_rank_has_no_length_and_no_elements():
    with pytest.raises(ValueError, match="Cannot iterate over a shape with unknown rank"):
        list(UNKNOWN)
    with pytest.raises(ValueError, match="Cannot take the length of shape with unknown rank"):
        len(UNKNOWN)


@pytest.mark.parametrize(
    ("shape", "key", "shown"),
    [
        (KNOWN, 0, "2"),
        (KNOWN, -1, "3"),
        (KNOWN, np.int64(1), "3"),
        (PARTIAL, 0, "None"),
        (KNOWN, slice(0, 1), "TensorShape([2])"),
        (KNOWN, slice(None, None, -1), "TensorShape([3, 2])"),
        (KNOWN, slice(5, None), "TensorShape([])"),
        (PARTIAL, slice(None, 1), "TensorShape([None])"),
        (UNKNOWN, 3, "None"),
        (UNKNOWN, "a", "None"),
        (UNKNOWN, slice(None), "TensorShape(None)"),
        (UNKNOWN, slice(None, 2), "TensorShape([None, None])"),
        (UNKNOWN, slice(1, None), "TensorShape(None)"),
        (UNKNOWN, slice(1, 3), "TensorShape([None, None])"),
        (UNKNOWN, slice(3, 1), "TensorShape([])"),
        (UNKNOWN, slice(None, -1), "TensorShape(None)"),
        (UNKNOWN, slice(-1, None), "TensorShape(None)"),
        (UNKNOWN, slice(-2, 2), "TensorShape(None)"),
    ],
    ids=name_of,
)
def test_shape_is_indexed_as_a_tuple(shape, key, shown):
    assert repr(shape[key]) == shown


@pytest.mark.parametrize(
    ("shape", "key", "error"),
    [
        (KNOWN, 2, IndexError),
        (KNOWN, None, TypeError),
        (KNOWN, "a", TypeError),
        (KNOWN, (0, 1), TypeError),
        (KNOWN, slice(None, None, 0), ValueError),
        (UNKNOWN, slice(None, 3, 1), ValueError),
    ],
    ids=name_of,
)
def test_shape_refuses_keys(shape, key, error):
    with pytest.raises(error):
        shape[key]


@pytest.mark.parametrize(
    ("shape", "other", "equal"),
    [
        (KNOWN, [2, 3], True),
        (KNOWN, (2, 3), True),
        (KNOWN, TensorShape([2, 3]), True),
        (KNOWN, [Dimension(2), 3], True),
        (KNOWN, None, False),
        (KNOWN, 5, False),
        (KNOWN, 2.5, False),
        (KNOWN, "x", False),
        (KNOWN, [2, "a"], False),
        (KNOWN, object(), False),
        (KNOWN, {}, False),
        (TensorShape([5]), 5, True),
        (TensorShape([]), {}, True),
        (TensorShape([None]), TensorShape([None]), True),
        (PARTIAL, [None, 3], True),
        (PARTIAL, [4, 3], False),
        (PARTIAL, None, False),
        (UNKNOWN, None, True),
        (UNKNOWN, TensorShape(None), True),
        (UNKNOWN, KNOWN, False),
    ],
    ids=name_of,
)
def test_shape_equals_what_it_can_be_made_of(shape, other, equal):
    assert (shape == other) is equal
    assert (other == shape) is equal
    assert (shape != other) is not equal


def test_comparing_with_a_negative_dimension_raises():
    with pytest.raises(ValueError, match="Dimension -3 must be >= 0"):
        assert KNOWN != [2, -3]


def test_shapes_have_no_order():
    with pytest.raises(TypeError):
        sorted([KNOWN, PARTIAL])


def test_shape_hashes_as_its_tuple():
    assert hash(KNOWN) == hash((2, 3))
    assert {KNOWN: 1}[TensorShape([2, 3])] == {KNOWN: 1}[(2, 3)] == 1
    assert hash(UNKNOWN) == hash(TensorShape(None))


def test_only_unknown_rank_is_false():
    assert bool(KNOWN) is bool(PARTIAL) is bool(TensorShape([])) is True
    assert bool(UNKNOWN) is False


@pytest.mark.parametrize("shape", [KNOWN, PARTIAL, UNKNOWN], ids=name_of)
def test_shape_survives_pickle_and_copy(shape):
    for again in (pickle.loads(pickle.dumps(shape)), copy.copy(shape), copy.deepcopy(shape)):
        assert type(again) is TensorShape
        assert repr(again) == repr(shape)


def test_shape_has_no_protocol_buffer_and_names_the_way_out():
    with pytest.raises(NotImplementedError, match=r"tf\.TensorShape\.as_proto: .*as_list\(\)"):
        KNOWN.as_proto()
