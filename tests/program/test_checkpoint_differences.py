"""Known differences of checkpoints; `migration_guide/differences.md` lists each."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.saved import places

Checkpoint = tf.train.Checkpoint


def test_restoring_fails_as_a_whole(tmp_path):
    parts = {f"v{k}": tf.Variable([float(k)]) for k in range(4)}
    path = Checkpoint(**parts).save(str(tmp_path / "ck"))
    others = {**{name: tf.Variable([9.0]) for name in parts}, "v3": tf.Variable([9.0, 9.0])}
    checkpoint = Checkpoint(**others)
    with pytest.raises(ValueError, match="Received incompatible tensor with shape"):
        checkpoint.restore(path)
    assert all(v.numpy()[0] == 9.0 for v in others.values())
    others["v3"] = checkpoint.v3 = tf.Variable([9.0])
    checkpoint.restore(path).assert_consumed()
    assert [v.numpy()[0] for v in others.values()] == [0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize("end", [".index", ".data-00000-of-00001"])
def test_cut_files_of_checkpoints_are_data_losses(end, tmp_path):
    checkpoint = Checkpoint(v=tf.Variable([1.0] * 100))
    checkpoint.write(str(tmp_path / "ck"))
    path = tmp_path / f"ck{end}"
    path.write_bytes(path.read_bytes()[:90])
    with pytest.raises(tf.errors.DataLossError):
        checkpoint.read(str(tmp_path / "ck"))


def test_asynchronous_saves_are_counted_at_once(tmp_path):
    checkpoint = Checkpoint(v=tf.Variable([1.0]))
    manager = tf.train.CheckpointManager(checkpoint, str(tmp_path), 2)
    manager.save(options=tf.train.CheckpointOptions(enable_async=True))
    path = checkpoint.save(str(tmp_path / "ck"), tf.train.CheckpointOptions(enable_async=True))
    checkpoint.sync()
    assert path == str(tmp_path / "ck-2")
    assert int(checkpoint.save_counter) == 2
    name = "save_counter/.ATTRIBUTES/VARIABLE_VALUE"
    assert [tf.train.load_variable(each, name) for each in (str(tmp_path / "ckpt-1"), path)] == [1, 2]


def test_sync_raises_the_error_of_writing():
    checkpoint = Checkpoint(v=tf.Variable([1.0]))
    checkpoint.save("/proc/no/ck", tf.train.CheckpointOptions(enable_async=True))
    with pytest.raises(tf.errors.NotFoundError):
        checkpoint.sync()


def test_iterators_with_random_numbers_are_saved(tmp_path):
    dataset = tf.data.Dataset.range(6).map(lambda x: x + tf.random.uniform([], maxval=99, dtype=tf.int64, seed=3))
    iterator = iter(dataset)
    next(iterator)
    checkpoint = Checkpoint(place=iterator)
    path = checkpoint.save(str(tmp_path / "ck"))
    expected = [int(each) for each in iterator]
    checkpoint.restore(path)
    assert [int(each) for each in iterator] == expected


def test_tensors_of_any_name_are_restored(tmp_path):
    class Pair(tf.__internal__.tracking.AutoTrackable):
        value = 1

        def _serialize_to_tensors(self):
            return {"a.b": tf.constant(self.value), "a/b": tf.constant(-self.value)}

        def _restore_from_tensors(self, restored_tensors):
            self.value = int(restored_tensors["a.b"] - restored_tensors["a/b"])

    pair = Pair()
    path = Checkpoint(pair=pair).save(str(tmp_path / "ck"))
    Checkpoint(pair=pair).restore(path).assert_consumed()
    assert pair.value == 2


def test_checkpoints_are_not_written_by_functions(tmp_path):
    checkpoint = Checkpoint(v=tf.Variable([1.0]))
    with pytest.raises(NotImplementedError, match=r"tf\.train\.Checkpoint\.write: not supported inside a tf\.function"):
        tf.function(lambda: checkpoint.write(str(tmp_path / "ck")))()
    with pytest.raises(NotImplementedError, match="experimental_io_device='/job:worker' is not supported"):
        tf.train.CheckpointOptions(experimental_io_device="/job:worker")


def test_some_places_have_a_form_of_their_own(tmp_path):
    dataset = tf.data.Dataset.range(3)
    path = Checkpoint(own=iter(dataset.filter(lambda x: x > 0)), both=iter(dataset)).write(str(tmp_path / "ck"))
    assert isinstance(tf.train.load_variable(path, "own/.ATTRIBUTES/ITERATOR_STATE"), bytes)
    with pytest.raises(tf.errors.InternalError):
        tf.train.load_variable(path, "both/.ATTRIBUTES/ITERATOR_STATE")


def test_tensors_that_fit_no_file_are_saved(tmp_path):
    options = tf.train.CheckpointOptions(experimental_sharding_callback=tf.train.experimental.MaxShardSizePolicy(16))
    empty, cube = tf.Variable(tf.zeros([0, 3])), tf.Variable(tf.ones([3, 5, 2]))
    path = Checkpoint(empty=empty, cube=cube).write(str(tmp_path / "ck"), options)
    assert tf.train.load_variable(path, "empty/.ATTRIBUTES/VARIABLE_VALUE").shape == (0, 3)
    assert tf.train.load_variable(path, "cube/.ATTRIBUTES/VARIABLE_VALUE").tolist() == cube.numpy().tolist()


def test_some_places_that_tensorflow_saved_are_refused(tmp_path):
    places.restored(tmp_path)
    for name, make in places.REFUSED.items():
        problem = "the kernel Interleave" if name == "interleaved" else "a shuffle that has no seed"
        iterator = iter(make())
        first = next(iterator)
        with pytest.raises(NotImplementedError, match=f"since {problem}.*leave the iterator out of the checkpoint"):
            Checkpoint(place=iterator).read(str(tmp_path / name))
        if name == "interleaved":
            assert [int(first), *map(int, iterator)] == [int(each) for each in make()]
        Checkpoint().read(str(tmp_path / name)).expect_partial()
    with pytest.raises(tf.errors.InternalError, match="Tensorflow type 21 not convertible to numpy dtype"):
        tf.train.load_variable(str(tmp_path / "interleaved"), "place/.ATTRIBUTES/ITERATOR_STATE")
