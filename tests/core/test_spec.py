"""`TensorSpec` as TensorFlow 2.21 behaves."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from tfcompat._core.structure.spec import TensorSpec, TypeSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import float32, float64, int8, int32, int64
from tfcompat._core.types.shape import TensorShape

SPEC = TensorSpec([2, None], int32, "n")
TENSOR = Tensor(np.array([[1, 2], [3, 4]], np.int32))


class Named(TensorSpec):
    __slots__ = ()


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (([2, None], int32, "n"), "TensorSpec(shape=(2, None), dtype=tf.int32, name='n')"),
        (([2],), "TensorSpec(shape=(2,), dtype=tf.float32, name=None)"),
        ((3,), "TensorSpec(shape=(3,), dtype=tf.float32, name=None)"),
        ((None,), "TensorSpec(shape=<unknown>, dtype=tf.float32, name=None)"),
        (((), "float64"), "TensorSpec(shape=(), dtype=tf.float64, name=None)"),
        (([2], np.int8), "TensorSpec(shape=(2,), dtype=tf.int8, name=None)"),
        (([1], int8, ""), "TensorSpec(shape=(1,), dtype=tf.int8, name='')"),
    ],
    ids=str,
)
def test_spec_shows_what_it_was_made_of(arguments, shown):
    assert repr(TensorSpec(*arguments)) == str(TensorSpec(*arguments)) == shown


def test_spec_of_a_subclass_shows_its_class():
    assert repr(Named(shape=[2], dtype=int8, name="a")) == "Named(shape=(2,), dtype=tf.int8, name='a')"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [(([-1],), ValueError), (("x",), TypeError), (([2], "foo"), TypeError), (([2], None), TypeError), ((), TypeError)],
    ids=str,
)
def test_spec_refuses(arguments, error):
    with pytest.raises(error):
        TensorSpec(*arguments)


def test_spec_has_shape_dtype_and_name():
    assert type(SPEC.shape) is TensorShape
    assert (SPEC.shape, SPEC.dtype, SPEC.name) == ([2, None], int32, "n")
    assert SPEC.value_type is Tensor
    assert isinstance(SPEC, TypeSpec)
    with pytest.raises(AttributeError):
        SPEC.shape = (1,)


def test_spec_equals_by_content():
    assert TensorSpec([2, None], int32, "n") == SPEC
    assert TensorSpec([2], int32) == TensorSpec(shape=(2,), dtype="int32")
    assert TensorSpec(None) == TensorSpec(None)
    for other in (
        TensorSpec([2, None], int32, "m"),
        TensorSpec([2, None], int32),
        TensorSpec([2, None], int64, "n"),
        TensorSpec([2, 3], int32, "n"),
        Named([2, None], int32, "n"),
        3,
    ):
        assert other != SPEC


def test_spec_hashes_without_its_name():
    assert hash(SPEC) == hash(TensorSpec([2, None], int32, "n")) == hash(TensorSpec([2, None], int32, "m"))


@pytest.mark.parametrize(
    ("spec", "other", "compatible"),
    [
        (SPEC, TENSOR, True),
        (SPEC, TensorSpec([2, 3], int32, "q"), True),
        (SPEC, TensorSpec(None, int32), True),
        (TensorSpec([2, 3], int32), SPEC, True),
        (SPEC, Tensor(np.array([[1.0]], np.float32)), False),
        (SPEC, TensorSpec([3, 3], int32), False),
        (TensorSpec([2]), TensorSpec([2], float64), False),
        (TensorSpec([None, 3], int32), TENSOR, False),
        (SPEC, np.array([[1, 2], [3, 4]], np.int32), False),
        (SPEC, [[1, 2], [3, 4]], False),
        (SPEC, TensorShape([2, 3]), False),
        (SPEC, None, False),
    ],
    ids=repr,
)
def test_is_compatible_with_specs_and_tensors(spec, other, compatible):
    assert spec.is_compatible_with(other) is compatible


def test_from_spec_keeps_the_name_unless_given():
    assert TensorSpec.from_spec(SPEC) == SPEC
    assert TensorSpec.from_spec(SPEC, "") == SPEC
    assert TensorSpec.from_spec(SPEC, name="z") == TensorSpec([2, None], int32, "z")
    assert type(Named.from_spec(SPEC)) is Named
    with pytest.raises(AttributeError):
        TensorSpec.from_spec(TENSOR)


def test_from_tensor():
    assert TensorSpec.from_tensor(TENSOR) == TensorSpec([2, 2], int32)
    assert TensorSpec.from_tensor(TENSOR, "w") == TensorSpec([2, 2], int32, "w")
    with pytest.raises(ValueError, match=r"`tensor` should be a tf\.Tensor, but got type <class 'numpy\.ndarray'>"):
        TensorSpec.from_tensor(np.zeros(2))


@pytest.mark.parametrize(
    ("other", "shown"),
    [
        (TensorSpec([2, 3], int32, "n"), "TensorSpec(shape=(2, None), dtype=tf.int32, name='n')"),
        (TensorSpec([4, 3], int32, "n"), "TensorSpec(shape=(None, None), dtype=tf.int32, name='n')"),
        (TensorSpec([4], int32, "n"), "TensorSpec(shape=<unknown>, dtype=tf.int32, name='n')"),
    ],
    ids=str,
)
def test_most_specific_compatible_type(other, shown):
    assert repr(SPEC.most_specific_compatible_type(other)) == shown


@pytest.mark.parametrize(
    "other",
    [TensorSpec([2, 3], int32, "k"), TensorSpec([2, 3], int32), TensorSpec([2, 3], float32, "n"), 3],
    ids=repr,
)
def test_no_common_type(other):
    assert SPEC.most_specific_common_supertype([other]) is None
    with pytest.raises(ValueError, match="No TypeSpec is compatible with both TensorSpec"):
        SPEC.most_specific_compatible_type(other)


def test_most_specific_common_supertype_of_many():
    others = [TensorSpec([4, 3], int32, "n"), TensorSpec([4], int32, "n")]
    assert SPEC.most_specific_common_supertype(others) == TensorSpec(None, int32, "n")
    assert SPEC.most_specific_common_supertype([]) == SPEC
    assert type(Named([2]).most_specific_common_supertype([Named([3])])) is Named


def test_is_subtype_of():
    assert SPEC.is_subtype_of(TensorSpec([2, None], int32, "n"))
    assert SPEC.is_subtype_of(TensorSpec(None, int32, "n"))
    assert TensorSpec([2, 3], int32).is_subtype_of(TensorSpec(None, int32, "m"))
    assert not SPEC.is_subtype_of(TensorSpec([2, None], int32))
    assert not SPEC.is_subtype_of(TensorSpec([2, None], int32, "m"))
    assert not SPEC.is_subtype_of(TensorSpec([2, 3], int32, "n"))
    assert not SPEC.is_subtype_of(TensorSpec([2, None], int64, "n"))
    assert not SPEC.is_subtype_of(3)


def test_spec_survives_pickle_and_copy():
    for again in (pickle.loads(pickle.dumps(SPEC)), copy.copy(SPEC), copy.deepcopy(SPEC)):
        assert type(again) is TensorSpec
        assert again == SPEC


class PairSpec(TypeSpec):
    def __init__(self, shape, dtype, tag="a"):
        self._shape, self._dtype, self._tag = TensorShape(shape), dtype, tag

    @property
    def value_type(self):
        return tuple

    def _serialize(self):
        return self._shape, self._dtype, self._tag


def test_specs_of_users_compare_their_parts():
    narrow, wide = PairSpec([2, 3], float32), PairSpec([None, 3], float32)
    others = PairSpec([2, 3], int32), PairSpec([2, 3], float32, "b"), TensorSpec([2, 3])
    assert narrow.is_compatible_with(wide)
    assert wide.is_compatible_with(narrow)
    assert narrow.is_subtype_of(wide)
    assert not wide.is_subtype_of(narrow)
    assert narrow.most_specific_common_supertype([wide])._serialize() == (TensorShape([None, 3]), float32, "a")
    for other in others:
        assert not narrow.is_compatible_with(other)
        assert not narrow.is_subtype_of(other)
        assert narrow.most_specific_common_supertype([other]) is None
