"""Files of saved and cached datasets: those of TensorFlow are read, and those that are written are TensorFlow's.

TensorFlow runs these tests too, and reads the files that tfcompat wrote.
"""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.data import stored

D = tf.data.Dataset
SAVED = [(writer, name, kind) for writer in stored.WRITERS for name in stored.DATASETS for kind in stored.COMPRESSIONS]
CACHED = [(writer, name) for writer in stored.WRITERS for name in stored.DATASETS]


@pytest.mark.filterwarnings("ignore:Encoding a StructuredValue")
@pytest.mark.parametrize(("writer", "name", "kind"), SAVED)
def test_saved_files_are_loaded(writer, name, kind, tmp_path):
    found = D.load(str(stored.restored(writer, f"{name}-{kind}", tmp_path)), compression=kind)
    wanted = stored.DATASETS[name]()
    assert found.element_spec == wanted.element_spec
    assert stored.read(found) == stored.read(wanted)
    assert int(found.cardinality()) == len(stored.read(wanted))


@pytest.mark.parametrize(("writer", "name"), CACHED)
def test_cached_files_are_read(writer, name, tmp_path):
    stored.restored(writer, f"{name}-cache", tmp_path)
    dataset = stored.DATASETS[name]()
    assert stored.read(dataset.skip(99).cache(str(tmp_path / "cache"))) == stored.read(dataset)


@pytest.mark.parametrize("writer", stored.WRITERS)
def test_written_files_are_the_recorded_ones(writer, tmp_path):
    found = stored.write(tmp_path)
    for name, files in stored.recorded(writer).items():
        assert found[name].keys() == files.keys()
        # TensorFlow writes the values of sparse and ragged tensors as lists; the order of keys in its specs is left to
        # chance; libraries differ in how they compress.
        is_own = writer == stored.WRITER
        for path, content in files.items():
            if path.endswith(".snapshot"):
                same = name.endswith("None") and (is_own or not name.startswith("composites"))
            elif path == "dataset_spec.pb":
                same = not name.startswith("structures")
            else:
                same = path != "snapshot.metadata" and (is_own or not name.startswith("composites"))
            assert not same or found[name][path] == content
