"""The messages of TensorFlow 1 that programs of TensorFlow 2 still use."""

from __future__ import annotations

import tfcompat as tf
from tests.summary.event_reader import events, files


def test_metadata_may_be_a_message(tmp_path):
    data = tf.compat.v1.SummaryMetadata.PluginData(plugin_name="mine", content=b"1")
    metadata = tf.compat.v1.SummaryMetadata(plugin_data=data, summary_description="text")
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=0):
        tf.summary.write("x", 1.0, metadata=metadata)
    [event] = events(tmp_path)
    assert b"\x4a\x11\x0a\x09\x0a\x04mine\x12\x011\x1a\x04text" in event.content


def test_files_are_read_as_messages(tmp_path):
    value = tf.compat.v1.Summary.Value(tag="q", simple_value=2.0)
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=4):
        tf.summary.experimental.write_raw_pb(tf.compat.v1.Summary(value=[value, value]).SerializeToString())
        tf.summary.scalar("x", 3.0)
    [path] = files(tmp_path)
    first, raw, scalar = tf.compat.v1.train.summary_iterator(str(path))
    assert (first.WhichOneof("what"), first.file_version) == ("file_version", "brain.Event:2")
    assert (raw.step, [one.tag for one in raw.summary.value], raw.summary.value[0].WhichOneof("value")) == (
        4,
        ["q", "q"],
        "simple_value",
    )
    [one] = scalar.summary.value
    assert one.metadata.plugin_data.plugin_name == "scalars"
    assert (one.tensor.dtype, one.tensor.tensor_content) == (1, b"\x00\x00\x40\x40")
    assert isinstance(first, tf.compat.v1.Event)
    assert tf.compat.v1.HistogramProto(bucket=[1.0]).bucket == [1.0]
