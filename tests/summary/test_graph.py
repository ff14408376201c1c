"""Graphs of functions: `tf.summary.graph`, `trace_on` and `trace_export`."""

from __future__ import annotations

import logging

import pytest

import tfcompat as tf
from tests.summary.event_reader import events, fields


@pytest.fixture(autouse=True)
def no_trace():
    yield
    tf.summary.trace_off()


def exported(folder):
    """The graphs in the only event: each node's op, name and inputs."""
    [event] = events(folder)
    [metadata] = event.texts()
    graphs = [fields(group)[3][0] for group in fields(metadata).get(4, [])]
    return event, [nodes(graph) for graph in graphs]


def nodes(graph):
    found = [fields(node) for node in fields(graph)[1]]
    return [(node[2][0], node[1][0], node.get(3, [])) for node in found]


def plugin(event):
    """The name of the plugin and the content of its data."""
    [value] = fields(fields(event.content)[5][0])[1]
    data = fields(fields(fields(value)[9][0])[1][0])
    return data[1][0], data[2][0]


def test_trace_has_the_functions_that_ran(tmp_path):
    function = tf.function(lambda x: tf.reduce_sum(x * 2.0))
    function(tf.constant([0.0]))
    tf.summary.trace_on()
    function(tf.constant([1.0]))
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        tf.summary.trace_export("name", step=3)
    event, graphs = exported(tmp_path)
    assert (event.tag(), event.step, plugin(event)) == ("name", 3, (b"graph_run_metadata_graph", b"1"))
    assert len(graphs) == 1
    with pytest.raises(ValueError, match="Must enable trace before export"):
        tf.summary.trace_export("again", step=3)


def test_nodes_are_the_recorded_steps(tmp_path):
    weight = tf.Variable(2.0, name="weight")

    @tf.function
    def function(x):
        if x > 1.0:
            x = x + 1.0
        return tf.reduce_sum(tf.stop_gradient(x) * weight) * 3.5

    tf.summary.trace_on()
    function(tf.constant(1.0))
    function(tf.constant(2.0))
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        tf.summary.trace_export("name", step=0)
    _, [graph] = exported(tmp_path)
    names = {name for _, name, _ in graph}
    assert {b"argument", b"greater", b"cond", b"weight", b"multiply", b"multiply_1"} <= names
    assert len(names) == len(graph)
    assert all(one.partition(b":")[0] in names for _, _, inputs in graph for one in inputs)
    assert (b"multiply", b"multiply", [b"stop_gradient", b"weight"]) in graph


def test_trace_without_functions_is_empty(tmp_path):
    tf.summary.trace_on()
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=1):
        tf.summary.trace_export("name")
    _, graphs = exported(tmp_path)
    assert graphs == []


def test_export_without_a_writer_ends_the_trace():
    tf.summary.trace_on()
    tf.summary.trace_export("name")
    tf.summary.trace_on()
    tf.summary.trace_off()
    tf.summary.trace_off()
    with pytest.raises(ValueError, match="Must enable trace"):
        tf.summary.trace_export("name")


def test_profile_is_written_beside(tmp_path):
    tf.summary.trace_on(graph=True, profiler=True, profiler_outdir=str(tmp_path / "profile"))
    tf.function(lambda x: x + 1.0)(tf.constant(1.0))
    with tf.summary.create_file_writer(str(tmp_path / "logs")).as_default():
        tf.summary.trace_export("name", step=0)
    event, _ = exported(tmp_path / "logs")
    assert plugin(event)[0] == b"graph_run_metadata"
    assert list(tmp_path.glob("profile/plugins/profile/*/*.xplane.pb"))
    with pytest.raises(tf.errors.UnavailableError):
        tf.profiler.experimental.stop()


def test_misuse_is_logged(caplog):
    tf.get_logger().propagate = True
    with caplog.at_level(logging.WARNING, "tensorflow"):
        tf.summary.trace_on()
        tf.summary.trace_on()
        tf.function(tf.summary.trace_on)()
        tf.function(lambda: tf.summary.trace_export("x", 0))()
    assert len(caplog.records) >= 3


def test_graph_of_a_concrete_function(tmp_path):
    concrete = tf.function(lambda x: x * 2.0).get_concrete_function(tf.TensorSpec([None, 3]))
    writer = tf.summary.create_file_writer(str(tmp_path))
    assert not tf.summary.graph(concrete)
    with writer.as_default():
        with tf.summary.record_if(False):
            assert not tf.summary.graph(concrete)
        assert tf.summary.graph(concrete)
        with pytest.raises(ValueError, match="graph_data"):
            tf.summary.graph(3)
    [event] = events(tmp_path)
    [graph] = fields(event.content)[4]
    assert [op for op, _, _ in nodes(graph)] == [b"argument", b"multiply"]


def test_messages_of_other_packages_are_written(tmp_path):
    class Descriptor:
        full_name = "tensorflow.GraphDef"

    class Message:
        DESCRIPTOR = Descriptor

        def SerializeToString(self):
            return b"\x0a\x03\x0a\x01n"

    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        assert tf.summary.graph(Message())
    [event] = events(tmp_path)
    assert event.content == b"\x22\x05\x0a\x03\x0a\x01n"
