"""`cache` with a name: the files, when they are written, who may write them, and errors."""

from __future__ import annotations

import contextlib
import gc
import os
import pathlib
import resource

import pytest

import tfcompat as tf
from tests.checkpoint import interrupted
from tests.data.reading import count_of, generated, listed, outcomes, refuses

D = tf.data.Dataset
INVALID = tf.errors.InvalidArgumentError
FILES = ["cache.data-00000-of-00001", "cache.index"]


@pytest.fixture
def place(tmp_path):
    return str(tmp_path / "cache")


def files(place):
    return sorted(os.listdir(os.path.dirname(place)))


def test_files_are_written_once_and_read_by_others(place):
    cached = D.range(3).shuffle(3, seed=1).cache(place)
    first, second = listed(cached.repeat(2))[:3], listed(cached)
    assert first == second
    assert files(place) == FILES
    assert listed(D.range(7).cache(place)) == first
    assert count_of(D.range(7).cache(place)) == 7
    assert repr(cached) == "<CacheDataset element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>"


def test_iterator_that_stops_early_leaves_nothing(place):
    assert listed(D.range(5).cache(place).take(2)) == [0, 1]
    gc.collect()
    assert files(place) == []
    iterator = iter(generated([1, 2, 3], tf.TensorSpec([], tf.int32)).cache(place))
    next(iterator)
    assert "cache_0.lockfile" in files(place)
    assert not set(FILES) & set(files(place))
    del iterator
    gc.collect()
    assert files(place) == []


def test_interrupted_iteration_continues_and_is_written(tmp_path):
    """Though the traceback of the interrupt, which is kept, refers to what wrote the files."""
    folder, iterator, found, kept, places = tmp_path, iter(()), [], [], 0

    def prepare():
        nonlocal folder, iterator
        folder = tmp_path / str(len(kept))
        folder.mkdir()
        iterator = iter(D.range(3).cache(str(folder / "cache")))
        found.clear()

    def read():
        try:
            found.extend(map(int, iterator))
        except KeyboardInterrupt as interrupt:
            kept.append(interrupt)
            raise

    for is_raised in interrupted(read, 7, prepare):
        assert is_raised
        places += 1
        found += [int(x) for x in iterator]
        # An interrupt loses at most the element that it hits.
        assert len(found) >= 2
        assert found == sorted(set(found) & {0, 1, 2})
        assert sorted(each.name for each in folder.iterdir()) == FILES
    assert places > 20


def test_second_iterator_is_refused_while_the_first_writes(place):
    cached = generated([1, 2, 3], tf.TensorSpec([], tf.int32)).cache(place)
    first, second = iter(cached), iter(cached)
    next(first)
    refuses(
        lambda: next(second), tf.errors.AlreadyExistsError, "cache_0.lockfile.*Lockfile contents: Created at: [0-9]+"
    )
    assert [int(x) for x in first] == [2, 3]
    assert listed(cached) == [1, 2, 3]


@contextlib.contextmanager
def limit(kind, number):
    soft, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (number, hard))
    try:
        yield
    finally:
        resource.setrlimit(kind, (soft, hard))


@pytest.mark.parametrize("dataset", [D.range(20_000), D.from_tensors(tf.zeros([60_000]))], ids=["index", "data"])
def test_without_room_the_files_are_removed(place, dataset):
    """The error is not that of the end, which loops expect."""
    iterator = iter(dataset.cache(place))
    with limit(resource.RLIMIT_FSIZE, 100_000), pytest.raises(tf.errors.InternalError, match="File too large"):
        list(iterator)
    del iterator
    gc.collect()
    assert not files(place)
    assert len(list(dataset.cache(place))) == len(dataset)
    assert files(place) == FILES


def test_iterator_without_room_neither_continues_nor_ends(place):
    iterator = iter(D.range(20_000).cache(place))
    with limit(resource.RLIMIT_FSIZE, 100_000):
        for _ in range(3):
            with pytest.raises(tf.errors.InternalError, match="File too large"):
                list(iterator)
            assert not files(place)


def test_snapshot_without_room(tmp_path):
    with limit(resource.RLIMIT_FSIZE, 1_000), pytest.raises(tf.errors.InternalError, match="File too large"):
        listed(D.range(20_000).snapshot(str(tmp_path / "snapshot"), compression=None))


def test_elements_with_errors_are_left_out(place):
    cached = D.range(4).map(lambda x: 6 // (x - 1)).cache(place)
    assert outcomes(cached, 5) == [-6, "InvalidArgumentError", 6, 3, "end"]
    assert outcomes(cached, 4) == [-6, 6, 3, "end"]


def test_files_with_other_elements_are_refused(place):
    listed(D.range(3).cache(place))
    other = D.range(3).map(lambda x: tf.cast(x, tf.float32)).cache(place)
    refuses(lambda: listed(other), INVALID, "Data type mismatch at component 0: expected float but got int64")
    other = D.range(3).batch(2).cache(place)
    refuses(lambda: listed(other), INVALID, r"Incompatible shapes at component 0: expected \[\?\] but got \[\]")


def test_no_elements(place):
    assert listed(D.range(0).cache(place)) == []
    assert files(place) == ["cache.index"]
    assert listed(D.range(2).cache(place)) == []


def test_bad_names(place):
    refuses(lambda: listed(D.range(2).cache(f"{place}/x")), tf.errors.NotFoundError, "x_0.lockfile; No such file")
    refuses(lambda: D.range(2).cache(["a", "b"]), INVALID, "filename must be a scalar")
    refuses(lambda: D.range(2).cache(5), TypeError, "5")


@pytest.mark.parametrize(
    ("name", "change", "error"),
    [
        (FILES[0], lambda data: data[:-1] + b"z", "Checksum does not match"),
        (FILES[1], lambda data: data[:-4], r"not an sstable \(bad magic number\)"),
        (FILES[1], lambda data: data[:9], "file is too short to be an sstable"),
        (FILES[1], lambda data: data[:20] + b"\x33" + data[21:], "block checksum mismatch"),
    ],
)
def test_corrupted_files(place, name, change, error):
    listed(D.range(3).cache(place))
    path = pathlib.Path(place).parent / name
    path.write_bytes(change(path.read_bytes()))
    refuses(lambda: listed(D.range(3).cache(place)), tf.errors.DataLossError, error)


def test_missing_data_file(place):
    listed(D.range(3).cache(place))
    os.remove(f"{place}.data-00000-of-00001")
    refuses(lambda: listed(D.range(3).cache(place)), tf.errors.NotFoundError, "No such file")


def test_many_elements_in_blocks_of_the_index(place):
    pairs = D.range(9000).map(lambda x: (x, -x))
    listed(pairs.cache(place))
    assert listed(pairs.skip(10**6).cache(place)) == listed(pairs)
    assert listed(pairs.cache(place).skip(8998)) == [(8998, -8998), (8999, -8999)]


def test_datasets_in_elements_are_refused(place):
    refuses(lambda: D.range(3).window(2).cache(place), NotImplementedError, "elements that contain datasets")
