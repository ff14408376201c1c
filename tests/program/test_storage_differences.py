"""Known differences of saved and cached datasets; `migration_guide/differences.md` lists each."""

from __future__ import annotations

import logging
import os
import pathlib
import shutil

import pytest

import tfcompat as tf
from tests.data.reading import listed, refuses
from tests.data.stored import WRITER

D = tf.data.Dataset
INVALID = tf.errors.InvalidArgumentError


@pytest.fixture
def place(tmp_path):
    return str(tmp_path / "saved")


def shard_file(place):
    (found,) = pathlib.Path(place).glob("*/*/*.snapshot")
    return found


def test_missing_elements_of_a_saved_dataset_are_an_error(place):
    D.range(3).save(place)
    path = shard_file(place)
    path.write_bytes(path.read_bytes()[:30])
    iterator = iter(D.load(place))
    assert int(next(iterator)) == 0
    with pytest.raises(tf.errors.DataLossError, match="3 elements were saved, but the files have only 1"):
        next(iterator)
    shutil.rmtree(path.parents[1])
    refuses(lambda: D.load(place), tf.errors.DataLossError, "is missing: save it again")
    pathlib.Path(place, "snapshot.metadata").write_bytes(b"garbage")
    refuses(lambda: D.load(place), tf.errors.DataLossError, "is corrupted")


@pytest.mark.skipif(WRITER == "tensorflow", reason="TensorFlow does not return")
def test_error_of_an_element_that_is_saved_leaves_what_was_saved_before(place):
    D.range(2).save(place)
    bad = D.range(3).map(lambda x: 6 // (x - 1))
    refuses(lambda: bad.save(place), INVALID, "(?i)division by zero")
    assert listed(D.load(place)) == [0, 1]
    assert len(os.listdir(place)) == 3
    refuses(lambda: bad.save(f"{place}2"), INVALID, "(?i)division by zero")
    refuses(lambda: D.load(f"{place}2"), tf.errors.NotFoundError, "element_spec file not found")


def test_saving_of_some_datasets_is_refused(place):
    refuses(lambda: D.range(3).save(place, checkpoint_args={"a": 1}), NotImplementedError, "checkpoint_args is not")
    refuses(lambda: D.range(3).window(2).save(place), NotImplementedError, "elements that contain datasets")
    refuses(lambda: D.range(3).save("gs://bucket/x"), NotImplementedError, "only local files")
    refuses(lambda: D.range(3).save(place, compression="FOO"), INVALID, "compression must be one of")


def test_cache_with_another_number_of_components_is_refused(place):
    listed(D.range(3).cache(place))
    other = D.range(3).map(lambda x: (x, x)).cache(place)
    refuses(lambda: listed(other), INVALID, "have another number of components than 2")


def test_cut_data_file_of_a_cache(place):
    listed(D.range(3).cache(place))
    path = pathlib.Path(f"{place}.data-00000-of-00001")
    path.write_bytes(path.read_bytes()[:-4])
    refuses(lambda: listed(D.range(3).cache(place)), tf.errors.DataLossError, "Read less bytes than requested")


def test_files_of_snappy_are_as_large_as_the_data(place):
    D.from_tensors(tf.zeros([10000])).save(place, compression="SNAPPY")
    assert 40000 < shard_file(place).stat().st_size < 41000


def test_rejection_of_most_elements_is_logged(caplog):
    with caplog.at_level(logging.WARNING, "tensorflow"):
        D.range(9).rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.1, 0.9], [0.9, 0.1], seed=1)
    assert "Proportion of examples rejected by sampler is high" in caplog.text


def test_features_of_several_values_are_not_parsed_in_a_dataset():
    positioned = {"p": tf.io.SparseFeature("i", "v", tf.float32, 10)}
    parse = tf.data.experimental.parse_example_dataset(positioned)
    strings = D.from_tensor_slices([b""]).batch(1)
    refuses(lambda: strings.apply(parse), NotImplementedError, "'p' is made of several values")
