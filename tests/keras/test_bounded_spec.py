"""`BoundedTensorSpec`, which libraries for reinforcement learning build on. Expected values are TensorFlow's."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import tfcompat as tf

tf.keras  # noqa: B018  # makes `tensorflow` importable

from tensorflow.core.protobuf import struct_pb2  # noqa: E402
from tensorflow.python.framework.tensor_spec import BoundedTensorSpec  # noqa: E402
from tensorflow.python.saved_model import nested_structure_coder as coder  # noqa: E402

SPEC = BoundedTensorSpec([2, 3], tf.float32, [-1.0, -2.0, -3.0], 4.0, name="b")
COUNT = BoundedTensorSpec((), np.int32, 0, 5)


def test_bounds_are_arrays_of_its_dtype():
    assert repr(COUNT) == (
        "BoundedTensorSpec(shape=(), dtype=tf.int32, name=None, minimum=array(0, dtype=int32), "
        "maximum=array(5, dtype=int32))"
    )
    assert SPEC.minimum.tolist() == [-1.0, -2.0, -3.0]
    assert not SPEC.maximum.flags.writeable
    assert BoundedTensorSpec([None, 3], tf.float32, 0.0, [1.0, 2.0, 3.0]).maximum.shape == (3,)


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        (([1.0, 2.0], 4.0), r"`minimum` \[1.0, 2.0\] is not compatible with shape \(2, 3\)"),
        ((1.0, [1.0, 2.0]), r"`maximum` \[1.0, 2.0\] is not compatible with shape \(2, 3\)"),
        ((None, 1.0), "`minimum` can not be None"),
        ((1.0, None), "`maximum` can not be None"),
    ],
)
def test_unfit_bounds_are_refused(bounds, words):
    with pytest.raises(ValueError, match=words):
        BoundedTensorSpec([2, 3], tf.float32, *bounds)


def test_equal_specs_have_equal_bounds():
    same = BoundedTensorSpec([2, 3], tf.float32, [-1.0, -2.0, -3.0], 4.0, name="b")
    plain = tf.TensorSpec([2, 3], tf.float32, "b")
    assert same == SPEC
    assert hash(SPEC) == hash(same)
    assert BoundedTensorSpec([2, 3], tf.float32, -1.0, 4.0, name="b") != SPEC
    assert plain != SPEC
    assert plain != SPEC
    assert SPEC.is_compatible_with(tf.ones([2, 3]) * 9.0)
    assert pickle.loads(pickle.dumps(SPEC)) == SPEC


def test_specs_from_others():
    assert BoundedTensorSpec.from_spec(SPEC) == SPEC
    found = BoundedTensorSpec.from_spec(tf.TensorSpec([2], tf.int32, "x"))
    assert (found.minimum, found.maximum, found.name) == (-(2**31), 2**31 - 1, "x")
    assert type(tf.TensorSpec.from_spec(SPEC)) is type(BoundedTensorSpec.from_tensor(tf.ones([2]))) is tf.TensorSpec
    with pytest.raises(TypeError):
        BoundedTensorSpec.from_spec(tf.TensorSpec([2], tf.bool))


def test_functions_and_datasets_take_it_as_a_type():
    double = tf.function(lambda x: x * 2.0, input_signature=[SPEC])
    assert double(tf.ones([2, 3])).numpy().tolist() == [[2.0] * 3] * 2
    with pytest.raises(TypeError):
        double(tf.ones([3, 3]))
    dataset = tf.data.Dataset.from_generator(lambda: iter([np.ones([2, 3])]), output_signature=SPEC)
    assert dataset.element_spec == SPEC
    assert next(iter(dataset)).shape == (2, 3)


def test_it_is_stored(tmp_path):
    structure = {"a": [SPEC, (COUNT, 1, 2.5, "s", None, True)], "t": tf.TensorSpec([2])}
    message = coder.encode_structure(structure)
    assert coder.decode_proto(struct_pb2.StructuredValue.FromString(message.SerializeToString())) == structure
    tf.data.Dataset.from_generator(lambda: iter([3]), output_signature=COUNT).save(str(tmp_path / "data"))
    loaded = tf.data.Dataset.load(str(tmp_path / "data"))
    assert loaded.element_spec == COUNT
    assert [int(x) for x in loaded] == [3]


def test_a_message_with_bad_bounds_is_corrupted():
    message = coder.encode_structure(SPEC)
    message.bounded_tensor_spec_value.shape.dim[1].size = 7
    with pytest.raises(tf.errors.DataLossError, match="bad bounds"):
        coder.decode_proto(message)
