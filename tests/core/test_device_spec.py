"""Parts of device names."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tfcompat._core.system.device_spec import DeviceSpec


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("", ""),
        ("/cpu:0", "/device:CPU:0"),
        ("/device:GPU:*", "/device:GPU:*"),
        ("/job:worker/replica:1/task:2/device:GPU:3", "/job:worker/replica:1/task:2/device:GPU:3"),
        ("/gpu", "/device:GPU:*"),
        ("/job:a", "/job:a"),
        ("CPU:0", "/device:CPU:0"),
        ("/device:FOO:1", "/device:FOO:1"),
        ("/job:w/cpu:0", "/job:w/device:CPU:0"),
    ],
)
def test_names_are_taken_apart_and_put_together(text, full):
    assert DeviceSpec.from_string(text).to_string() == full


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("/device:CPU", "Unknown attribute 'device'"),
        ("/foo:1", "Unknown attribute 'foo'"),
        ("/cpu:0/gpu:1", "Multiple device types are not allowed"),
        ("/task:x", "invalid literal for int"),
    ],
)
def test_what_is_no_name_is_refused(text, problem):
    with pytest.raises(ValueError, match=problem):
        DeviceSpec.from_string(text)


def test_specs_are_values():
    spec = DeviceSpec(job="w", task="1", device_type="gpu", device_index=0)
    same = DeviceSpec(job="w", task=1, device_type="GPU", device_index=0)
    assert spec == same
    assert hash(spec) == hash(same)
    assert repr(spec) == "<DeviceSpec(job=w, replica=None, task=1, device_type=GPU, device_index=0)>"
    with pytest.raises(AttributeError):
        spec.job = "x"


def test_specs_are_changed_by_making_others():
    spec = DeviceSpec(job="w", task=1, device_type="GPU", device_index=0)
    assert spec.replace(task=3).to_string() == "/job:w/task:3/device:GPU:0"
    merged = spec.make_merged_spec(DeviceSpec(replica=2, device_index=1))
    assert merged.to_string() == "/job:w/replica:2/task:1/device:GPU:1"
    assert spec.parse_from_string("/cpu:1").to_string() == "/device:CPU:1"


def test_spec_names_the_device_of_a_context():
    with tf.device(DeviceSpec(device_type="CPU", device_index=0)):
        assert (tf.constant(1.0) + 1.0).numpy() == 2.0
    with pytest.raises(tf.errors.InvalidArgumentError), tf.device(DeviceSpec(job="other")):
        pass
