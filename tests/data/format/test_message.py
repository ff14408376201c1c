"""The messages of `tf.train`."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import tfcompat as tf
from tests.data.format.wire import example, sequence

train = tf.train


def test_a_message_has_the_bytes_of_its_format():
    made = train.Example(
        features=train.Features(
            feature={
                "a": train.Feature(int64_list=train.Int64List(value=[1, 300, -1])),
            }
        )
    )
    assert made.SerializeToString() == example({"a": ("int64", [1, 300, -1])})
    floats = train.Example()
    floats.features.feature["f"].float_list.value.extend([0.5, 2])
    floats.features.feature["f"].float_list.value.append(3)
    assert floats.SerializeToString() == example({"f": ("float", [0.5, 2.0, 3.0])})


def test_messages_are_read():
    found = train.Example.FromString(example({"s": ("bytes", [b"x", b""]), "a": ("int64", [5])}))
    assert found.features.feature["s"].bytes_list.value == [b"x", b""]
    assert found.features.feature["a"].WhichOneof("kind") == "int64_list"
    data = sequence({"a": ("int64", [1])}, {"l": [("int64", [2]), ("int64", [3, 4])]})
    found = train.SequenceExample.FromString(data)
    assert [list(each.int64_list.value) for each in found.feature_lists.feature_list["l"].feature] == [[2], [3, 4]]
    assert found.SerializeToString() == data


def test_a_feature_has_one_list():
    feature = train.Feature(int64_list=train.Int64List(value=[1]))
    feature.float_list.value.append(1.0)
    assert feature.WhichOneof("kind") == "float_list"
    assert not feature.HasField("int64_list")


def test_arrays_and_tensors_are_lists():
    assert train.Int64List(value=np.arange(3)).value == [0, 1, 2]
    assert train.Int64List(value=tf.range(3)).value == [0, 1, 2]
    assert train.FloatList(value=tf.constant([1.5, 2.0])).value == [1.5, 2.0]
    for make in (
        lambda: train.Int64List(value=[1.5]),
        lambda: train.Int64List(value="a"),
        lambda: train.BytesList(value=["a"]),
        lambda: train.BytesList(value=tf.constant(["a"])),
        lambda: train.Int64List(value=tf.constant(3)),
    ):
        with pytest.raises(TypeError):
            make()


def test_messages_can_be_copied():
    made = train.Example.FromString(example({"a": ("int64", [5])}))
    assert pickle.loads(pickle.dumps(made)) == made
    assert copy.deepcopy(made) == made


def test_names_are_those_of_tensorflow():
    names = ["BytesList", "FloatList", "Int64List", "Feature", "Features", "FeatureList", "FeatureLists"]
    names += ["Example", "SequenceExample"]
    for name in names:
        found = getattr(train, name)
        assert found.DESCRIPTOR.full_name == f"tensorflow.{name}"
        assert getattr(tf.compat.v1.train, name) is found
    assert {field.name: field.number for field in train.Feature.DESCRIPTOR.fields} == {
        "bytes_list": 1,
        "float_list": 2,
        "int64_list": 3,
    }
    assert set(names) <= set(dir(train))
