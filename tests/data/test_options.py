"""`tf.data.Options`."""

from __future__ import annotations

import pytest

import tfcompat as tf

D = tf.data.Dataset


def with_order(value):
    options = tf.data.Options()
    options.deterministic = value
    return options


def test_defaults():
    options = tf.data.Options()
    assert (options.deterministic, options.experimental_slack, options.threading.private_threadpool_size) == (None,) * 3
    assert options.autotune.enabled is None
    assert options.experimental_optimization.map_fusion is None
    assert options.experimental_distribute.auto_shard_policy is tf.data.experimental.AutoShardPolicy.AUTO
    assert isinstance(options.threading, tf.data.ThreadingOptions)


def test_values_are_checked():
    options = tf.data.Options()
    with pytest.raises(AttributeError, match="Cannot set the property foo on Options"):
        options.foo = 1
    with pytest.raises(AttributeError, match="foo"):
        _ = options.foo
    with pytest.raises(TypeError, match="Property \"deterministic\" must be of type <class 'bool'>, got: 5"):
        options.deterministic = 5
    with pytest.raises(AttributeError, match="Cannot set the property foo on ThreadingOptions"):
        options.threading.foo = 1


def test_datasets_merge_their_options():
    dataset = D.range(5).with_options(with_order(True))
    assert dataset.options().deterministic is True
    assert dataset.batch(2).take(1).options().deterministic is True
    assert dataset.with_options(with_order(False)).options().deterministic is False
    assert dataset.with_options(tf.data.Options()).options().deterministic is True
    threading = tf.data.Options()
    threading.threading.private_threadpool_size = 3
    merged = dataset.with_options(threading).options()
    assert (merged.deterministic, merged.threading.private_threadpool_size) == (True, 3)
    other = D.range(5).with_options(threading)
    assert D.zip((dataset, other)).options().threading.private_threadpool_size == 3


def test_options_of_a_dataset_cannot_be_changed():
    found = D.range(5).options()
    with pytest.raises(ValueError, match=r"returned by `tf.data.Dataset.options\(\)` has no effect"):
        found.deterministic = True


def test_options_are_those_at_the_time_of_the_call():
    options = with_order(True)
    dataset = D.range(5).with_options(options)
    options.deterministic = False
    assert dataset.options().deterministic is True


def test_options_are_values():
    assert with_order(True) == with_order(True)
    assert with_order(True) != with_order(False)
    assert with_order(True).merge(with_order(False)).deterministic is False
    with pytest.raises(TypeError, match="Could not merge incompatible options of type <class 'int'>"):
        with_order(True).merge(5)


def test_former_names():
    options = tf.data.Options()
    options.experimental_deterministic = False
    assert options.deterministic is False
    assert options.experimental_deterministic is False
