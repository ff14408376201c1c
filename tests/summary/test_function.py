"""Summaries in a `tf.function`: written at each call, in the order of the program, with the scopes of TensorFlow."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.summary.event_reader import events, scalars


@pytest.fixture
def writer(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        yield writer
    writer.close()


def tags(folder):
    return [event.tag() for event in events(folder)]


def test_number_is_the_default_step_of_a_trace_and_a_variable_that_of_a_call(writer, tmp_path):
    tf.summary.experimental.set_step(3)
    by_number = tf.function(lambda x: tf.summary.scalar("a", x))
    by_number(tf.constant(1.0))
    tf.summary.experimental.set_step(4)
    assert by_number(tf.constant(2.0)).numpy()
    step = tf.Variable(5, dtype=tf.int64)
    tf.summary.experimental.set_step(step)

    @tf.function
    def by_variable(x):
        step.assign_add(1)
        tf.summary.scalar("b", x)
        step.assign_add(1)
        tf.summary.scalar("c", x)

    by_variable(tf.constant(3.0))
    by_variable(tf.constant(4.0))
    tf.summary.experimental.set_step(None)
    writer.flush()
    assert scalars(tmp_path) == [
        ("a", 3, 1.0),
        ("a", 3, 2.0),
        ("b", 6, 3.0),
        ("c", 7, 3.0),
        ("b", 8, 4.0),
        ("c", 9, 4.0),
    ]
    assert by_variable.experimental_get_tracing_count() == 1


def test_missing_step_is_an_error_while_tracing(writer):
    del writer
    with pytest.raises(ValueError, match="No step set"):
        tf.function(lambda: tf.summary.scalar("a", 1.0))()


def test_writer_of_the_trace_is_used(writer, tmp_path):
    other = tf.summary.create_file_writer(str(tmp_path / "other"))

    @tf.function
    def inside(x):
        tf.summary.scalar("default", x, step=0)
        with other.as_default(step=1):
            tf.summary.scalar("own", x)
        other.flush()

    inside(tf.constant(1.0))
    with other.as_default():
        inside(tf.constant(2.0))
    writer.flush()
    assert scalars(tmp_path) == [("default", 0, 1.0), ("default", 0, 2.0)]
    assert scalars(tmp_path / "other") == [("own", 1, 1.0), ("own", 1, 2.0)]


def test_function_traced_without_a_writer_writes_nothing(tmp_path):
    function = tf.function(lambda x: tf.summary.scalar("a", x, step=0))
    assert not function(tf.constant(1.0))
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        assert not function(tf.constant(2.0))
    assert scalars(tmp_path) == []


def test_condition_that_counts_is_asked_before_the_step(writer, tmp_path):
    step = tf.Variable(-1, dtype=tf.int64)

    @tf.function
    def condition():
        step.assign_add(1)
        return tf.equal(step % 2, 0)

    def written():
        with tf.summary.record_if(condition):
            return [tf.summary.write("tag", 1.0, step=step) for _ in range(3)]

    found = [[bool(each) for each in call()] for call in (written, tf.function(written))]
    with tf.summary.record_if(lambda: bool(condition())):
        tf.summary.scalar("x", 1.0, step=step)
    writer.flush()
    assert found == [[True, False, True], [False, True, False]]
    assert [(tag, at) for tag, at, _ in scalars(tmp_path)] == [("tag", 0), ("tag", 2), ("tag", 4), ("x", 6)]


def test_condition_is_asked_once_for_each_summary(writer):
    del writer
    asked = tf.Variable(0)

    def condition():
        asked.assign_add(1)
        return True

    with tf.summary.record_if(condition):
        tf.summary.scalar("a", 1.0, step=0)
        tf.summary.histogram("b", [1.0], step=0)
        tf.summary.image("c", tf.zeros([1, 2, 2, 1]), step=0)
        tf.summary.audio("d", tf.zeros([1, 2, 1]), 100, step=0)
        tf.summary.text("e", "f", step=0)
        tf.summary.write("g", 1.0, step=0)
    assert asked.numpy() == 6


def test_conditions_of_a_trace(writer, tmp_path):
    step = tf.Variable(0, dtype=tf.int64)
    calls = []

    @tf.function
    def inside(x):
        step.assign_add(1)
        with tf.summary.record_if(lambda: tf.equal(step % 2, 0)):
            tf.summary.scalar("even", x, step=step)
            tf.summary.write("lazy", lambda: calls.append(1) or x * 2.0, step=step)
            result = tf.summary.should_record_summaries()
        with tf.summary.record_if(False):
            tf.summary.scalar("never", x, step=step)
        with tf.summary.record_if(tf.constant(True)):
            tf.summary.scalar("always", x, step=step)
        return result

    found = [bool(inside(tf.constant(float(k)))) for k in range(1, 4)]
    writer.flush()
    assert found == [False, True, False]
    assert len(calls) == 1
    assert scalars(tmp_path) == [
        ("always", 1, 1.0),
        ("even", 2, 2.0),
        ("lazy", 2, 4.0),
        ("always", 2, 2.0),
        ("always", 3, 3.0),
    ]


def test_control_flow_keeps_the_order(writer, tmp_path):
    @tf.function
    def inside(x):
        tf.summary.scalar("first", x, step=0)
        for i in tf.range(3):
            if i > 0:
                tf.summary.scalar("later", x, step=tf.cast(i, tf.int64))
            tf.summary.scalar("each", x, step=tf.cast(i, tf.int64))
        tf.summary.scalar("last", x, step=0)

    inside(tf.constant(1.0))
    writer.flush()
    found = [(event.tag().split("/")[-1], event.step) for event in events(tmp_path)]
    assert found == [("first", 0), ("each", 0), ("later", 1), ("each", 1), ("later", 2), ("each", 2), ("last", 0)]


def test_tags_have_the_scopes_of_the_graph(writer, tmp_path):
    @tf.function
    def called(x):
        with tf.name_scope("inner"):
            tf.summary.scalar("i", x)

    @tf.function
    def inside(x):
        with tf.name_scope("a"):
            tf.summary.scalar("n", x)
        with tf.name_scope("A"):
            tf.summary.scalar("n", x)
        with tf.name_scope("n"):
            tf.summary.scalar("a", x)
        if x > 0.0:
            tf.summary.scalar("cond", x)
            if x > 1.0:
                tf.summary.scalar("deep", x)
            for _ in tf.range(1):
                tf.summary.scalar("loop", x)
        with tf.name_scope("z"):
            tf.cond(x > 0.0, lambda: tf.summary.scalar("c", x), lambda: False, name="mine")
            tf.while_loop(lambda i: i < 1, lambda i: (i + tf.cast(tf.summary.scalar("w", x), tf.int32),), [0])
        tf.map_fn(lambda y: y + tf.cast(tf.summary.scalar("m", y), tf.float32), tf.stack([x]))
        tf.switch_case(tf.constant(1), [lambda: False, lambda: tf.summary.scalar("s", x)])
        tf.case([(x > 9.0, lambda: False), (x > 8.0, lambda: False)], default=lambda: tf.summary.scalar("k", x))
        called(x)

    with tf.name_scope("outer"):
        tf.summary.experimental.set_step(0)
        inside(tf.constant(2.0))
        tf.summary.experimental.set_step(None)
    writer.flush()
    assert tags(tmp_path) == [
        *("a/n", "A_1/n", "n/a", "cond/cond", "cond/cond_1/deep", "cond/while/loop", "z/mine/c", "z/while/w"),
        *("map/while/m", "switch_case/indexed_case/s", "case/cond/cond/k", "inner/i"),
    ]


def test_all_kinds_are_written_by_functions(writer, tmp_path):
    @tf.function
    def inside(x, count):
        tf.summary.image("image", x, max_outputs=count)
        tf.summary.histogram("histogram", x, buckets=count)
        tf.summary.text("text", tf.strings.as_string(tf.reduce_sum(x)))
        tf.summary.audio("audio", x[0], 8000 * count, max_outputs=count)
        tf.summary.experimental.write_raw_pb(b"\x0a\x08\x0a\x01q\x15\x00\x00\x00\x40")

    tf.summary.experimental.set_step(0)
    x, count = tf.reshape(tf.linspace(0.0, 1.0, 12), [2, 3, 2, 1]), tf.constant(1)
    inside(x, count)
    writer.flush()
    by_function = [event.content for event in events(tmp_path)]
    inside.python_function(x, count)
    tf.summary.experimental.set_step(None)
    writer.flush()
    assert len(by_function) == 5
    assert [event.content for event in events(tmp_path)[5:]] == by_function


def test_gradients_pass_by_summaries(writer, tmp_path):
    @tf.function
    def inside(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            tf.summary.scalar("y", y, step=0)
        found = tape.gradient(y, x)
        tf.summary.scalar("g", found, step=0)
        return found

    for function in (inside, inside.python_function):
        assert function(tf.constant(3.0)).numpy() == 6.0
    writer.flush()
    assert scalars(tmp_path) == [("y", 0, 9.0), ("g", 0, 6.0)] * 2


def test_function_that_runs_eagerly_writes(writer, tmp_path):
    function = tf.function(lambda x, step: tf.summary.scalar("a", x, step=step))
    tf.config.run_functions_eagerly(True)
    try:
        function(tf.constant(1.0), 1)
        function(tf.constant(2.0), 2)
    finally:
        tf.config.run_functions_eagerly(False)
    writer.flush()
    assert scalars(tmp_path) == [("a", 1, 1.0), ("a", 2, 2.0)]


def test_functions_of_datasets_write(writer, tmp_path):
    def mapped(x):
        with writer.as_default():
            tf.summary.scalar("x", tf.cast(x, tf.float32), step=x)
        return x

    assert [int(x) for x in tf.data.Dataset.range(3).map(mapped)] == [0, 1, 2]
    writer.flush()
    assert scalars(tmp_path) == [("x", 0, 0.0), ("x", 1, 1.0), ("x", 2, 2.0)]


def test_writer_with_an_argument_that_only_a_call_knows_is_refused(tmp_path):
    @tf.function
    def inside(count):
        tf.summary.create_file_writer(str(tmp_path), max_queue=count)

    with pytest.raises(ValueError, match="max_queue"):
        inside(tf.constant(3))


def test_graph_is_refused_in_a_function(writer):
    del writer
    with pytest.raises(ValueError, match="inside a graph context"):
        tf.function(lambda: tf.summary.graph(1))()
