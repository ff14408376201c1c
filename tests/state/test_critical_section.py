"""Code that one thread runs at a time."""

from __future__ import annotations

import threading
import time

import pytest

import tfcompat as tf


def test_result_is_made_of_values():
    section, variable = tf.CriticalSection(name="c"), tf.Variable(0.0)
    answer = section.execute(lambda: variable.assign_add(1.0))
    assert isinstance(answer, tf.Tensor)
    variable.assign(5.0)
    assert answer.numpy() == 1.0
    assert [part.numpy() for part in section.execute(lambda: (tf.constant(1), tf.constant(2)))] == [1, 2]
    assert section.execute(lambda: None) is None
    assert section.execute(lambda: tf.constant(1), exclusive_resource_access=False).numpy() == 1


def test_section_within_itself_is_refused():
    section = tf.CriticalSection()
    with pytest.raises(ValueError, match="in which we are already running"):
        section.execute(lambda: section.execute(lambda: tf.constant(1)))
    assert section.execute(lambda: tf.constant(1)).numpy() == 1


@pytest.mark.parametrize("is_shared", [True, False])
def test_threads_take_turns(is_shared):
    name = "shared" if is_shared else None
    one = tf.CriticalSection(shared_name=name)
    other = tf.CriticalSection(shared_name=name) if is_shared else one
    inside, most = [], []

    def work():
        inside.append(1)
        time.sleep(0.01)
        most.append(len(inside))
        inside.pop()

    threads = [threading.Thread(target=section.execute, args=(work,)) for section in (one, other) * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 6


def test_functions_run_in_it():
    section, variable = tf.CriticalSection(), tf.Variable(0.0)
    add = tf.function(lambda: section.execute(lambda: variable.assign_add(1.0)))
    assert [add().numpy() for _ in range(3)] == [1.0, 2.0, 3.0]


def test_what_speaks_of_graphs_is_refused():
    with pytest.raises(ValueError, match="critical_section_def"):
        tf.CriticalSection(critical_section_def="x")
    with pytest.raises(NotImplementedError, match="needs graphs"):
        tf.CriticalSection(import_scope="x")
    with pytest.raises(AttributeError, match="undefined when eager"):
        _ = tf.CriticalSection(name="x").name
