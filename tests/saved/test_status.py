"""The result of `tf.train.Checkpoint.restore` reports the objects that were not restored."""

from __future__ import annotations

import gc
import logging

import pytest

import tfcompat as tf

Checkpoint = tf.train.Checkpoint


def of(*values):
    return tf.Variable(list(values))


def saved(folder, **parts):
    return Checkpoint(**parts).save(str(folder / "ck"))


def test_status_names_objects_without_a_value(tmp_path):
    path = saved(tmp_path, v=of(1.0))
    status = Checkpoint(v=of(0.0), w=of(5.0)).restore(path)
    for check in (status.assert_consumed, status.assert_existing_objects_matched):
        with pytest.raises(AssertionError, match="Found 1 Python objects that were not bound to checkpointed values"):
            check()
    assert status.assert_nontrivial_match() is status


def test_status_of_a_part(tmp_path):
    path = saved(tmp_path, v=of(1.0), w=of(2.0))
    status = Checkpoint(v=of(0.0)).restore(path)
    assert status.assert_existing_objects_matched() is status.expect_partial()
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\)\.w"):
        status.assert_consumed()


def test_status_of_nothing(tmp_path):
    path = Checkpoint(v=of(1.0)).write(str(tmp_path / "ck"))
    with pytest.raises(AssertionError, match="Nothing except the root object matched"):
        Checkpoint(w=of(1.0)).read(path).expect_partial().assert_nontrivial_match()
    with pytest.raises(AssertionError, match="Nothing to load"):
        Checkpoint().read(path).expect_partial().assert_nontrivial_match()
    status = Checkpoint(v=of(1.0)).restore(None)
    assert status.initialize_or_restore() is None
    for check in (status.assert_consumed, status.assert_existing_objects_matched, status.assert_nontrivial_match):
        with pytest.raises(AssertionError, match="No checkpoint specified"):
            check()


def test_values_that_are_never_restored_are_logged(tmp_path, caplog):
    path = saved(tmp_path, v=of(1.0), w=of(2.0))
    for is_expected in (False, True):
        caplog.clear()
        with caplog.at_level(logging.WARNING, "tensorflow"):
            status = Checkpoint(v=of(0.0)).restore(path)
            if is_expected:
                status.expect_partial()
            del status
            gc.collect()
        found = "Value in checkpoint could not be found in the restored object: (root).w" in caplog.text
        assert found is not is_expected


def test_one_variable_of_the_checkpoint_is_not_two_in_the_program(tmp_path):
    v = of(1.0)
    path = saved(tmp_path, v=v, w=v)
    first, second = of(0.0), of(0.0)
    status = Checkpoint(v=first, w=second).restore(path).expect_partial()
    assert (first.numpy(), second.numpy()) == ([1.0], [0.0])
    with pytest.raises(AssertionError, match="Found 1 Python objects"):
        status.assert_consumed()
