"""An interrupt at any place of a restore or a save reaches the user, and leaves nothing half done."""

from __future__ import annotations

import pathlib

import pytest

import tfcompat as tf
from tests import repetition
from tests.checkpoint import checkpoints, interrupted
from tests.daily import thorough

pytestmark = pytest.mark.soak

# A save or a restore has up to 6,500 places, of which `make soak` interrupts all.
STRIDE = 1 if repetition.count(10) == 10 else 83
NEW, OLD = 3, 7


class Model(tf.Module):
    """Variables, and objects with tensors that are not variables."""

    def __init__(self):
        super().__init__()
        self.parts = [tf.Variable(tf.zeros([4])), {"b": tf.Variable("")}, (tf.Variable(0),)]
        self.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
        self.generator = tf.random.Generator.from_seed(1)
        self.places = iter(tf.data.Dataset.range(100).shuffle(5, seed=1))

    def set(self, number):
        """Gives all parts the state `number`."""
        self.parts[0].assign(tf.fill([4], float(number)))
        self.parts[1]["b"].assign(str(number))
        self.parts[2][0].assign(number)
        self.table.insert(["a"], tf.constant([number], tf.int64))
        self.generator.reset_from_seed(number)

    def state(self):
        """The states of the parts; one number if they are those of one call of `set`."""
        floats, named, (count,) = self.parts
        generator = tf.random.Generator.from_seed
        seeds = [k for k in (NEW, OLD) if (self.generator.state == generator(k).state).numpy().all()]
        word = int(named["b"].numpy())
        return {*floats.numpy().tolist(), word, int(count), *seeds, int(self.table.lookup(tf.constant(["a"]))[0])}


# An interrupt between the opening of a file and the assignment of its name leaves it to Python to close it.
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
@pytest.mark.parametrize("kind", ["whole", thorough("partial")])
def test_interrupted_restore(kind, tmp_path):
    model, status = Model(), []
    model.set(NEW)
    checkpoint = tf.train.Checkpoint(model=model, step=tf.Variable(1))
    path = checkpoint.write(str(tmp_path / "ck"))
    target = checkpoint if kind == "whole" else tf.train.Checkpoint(model=model)

    def restore():
        status.append(target.read(path).expect_partial())

    def prepare():
        status.clear()
        model.set(OLD)

    places = 0
    for is_raised in interrupted(restore, STRIDE, prepare):
        assert is_raised
        assert model.state() in ({NEW}, {OLD})
        places += 1
    assert places > 500 // STRIDE
    assert model.state() == {NEW}


def without_others(manager):
    """Removes the files that `manager` has not noted, as an interrupt came first: each save looks at all files."""
    known = {pathlib.Path(path).name for path in manager.checkpoints}
    for path in pathlib.Path(manager.directory).glob("ckpt-*"):
        if path.name.partition(".")[0] not in known:
            path.unlink()


def test_interrupted_save(tmp_path):
    model = Model()
    checkpoint = tf.train.Checkpoint(model=model)
    manager = tf.train.CheckpointManager(checkpoint, str(tmp_path), 2)
    manager.save()
    number, places, saved = 0, 0, set()

    def prepare():
        nonlocal number
        without_others(manager)
        number += 1
        model.parts[2][0].assign(number)

    for is_raised in interrupted(manager.save, STRIDE, prepare):
        assert is_raised
        places += 1
        path = tf.train.latest_checkpoint(str(tmp_path))
        found = int(tf.train.load_variable(path, "model/parts/2/0/.ATTRIBUTES/VARIABLE_VALUE"))
        saved.add(found == number)
        assert found >= number - 1
        assert not [each.name for each in tmp_path.iterdir() if "tempstate" in each.name]
        manager.save()
    assert places > 1000 // STRIDE
    assert saved == {False, True}
    checkpoint.restore(manager.latest_checkpoint).assert_consumed()


def test_interrupted_asynchronous_save(tmp_path):
    model = Model()
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(model=model), str(tmp_path), 2)
    options = tf.train.CheckpointOptions(enable_async=True)
    manager.save(options=options)

    def save():
        manager.save(options=options)
        manager.sync()

    def prepare():
        manager.sync()
        without_others(manager)

    for is_raised in interrupted(save, STRIDE, prepare):
        assert is_raised
        path = manager.save(options=options)
        manager.sync()
        assert tf.train.latest_checkpoint(str(tmp_path)) == path


def test_handler_waits_for_the_checkpoint_that_it_writes(tmp_path):
    """While the program records and runs a step, whose values the checkpoint holds."""
    v = tf.Variable(0.0)
    checkpoint, steps, places = tf.train.Checkpoint(v=v), 0, 0

    def save():
        path = checkpoint.write(str(tmp_path / "ck"), tf.train.CheckpointOptions(enable_async=True))
        checkpoint.sync()
        assert tf.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE") in (steps, steps + 1.0)

    def step():
        v.assign_add(1.0)
        tf.sync()

    step()
    for place in checkpoints(save):
        steps += 1
        with place:
            step()
        places += place.is_reached
    assert places > 50
    assert v.numpy() == steps + 1.0
