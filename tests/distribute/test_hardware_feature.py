"""`tf.tpu.experimental.HardwareFeature`, as TensorFlow has it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import tfcompat as tf

FEATURE = tf.tpu.experimental.HardwareFeature


@pytest.mark.parametrize(("number", "name"), [(0, "UNSUPPORTED"), (1, "V1"), (2, "V2"), (7, "UNSUPPORTED")])
def test_embedding_feature_of_a_message(number, name):
    message = SimpleNamespace(embedding_feature=number, num_embedding_devices_per_chip=2)
    feature = FEATURE(message)
    assert feature.embedding_feature is FEATURE.EmbeddingFeature[name]
    assert feature.embedding_feature.value == name
    assert feature.num_embedding_devices_per_chip == 2
