"""Datasets that are saved and cached, and the files that TensorFlow and tfcompat wrote of them.

TFCOMPAT_SUBJECT=tensorflow python -m tests.data.stored     records the files of TensorFlow again
python -m tests.data.stored                                 records those of tfcompat
"""

from __future__ import annotations

import base64
import functools
import gzip
import json
import os
import pathlib
import tempfile
from typing import Any

import numpy as np

from tests.on_tensorflow import stand_in

if __name__ == "__main__" and os.environ.get("TFCOMPAT_SUBJECT") == "tensorflow":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    stand_in.install()
import tfcompat as tf

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"
WRITERS = ("tensorflow", "own")
# The one that runs now.
WRITER = "tensorflow" if tf.__name__.startswith("tensorflow") else "own"
D = tf.data.Dataset


def numbers():
    """Scalars of two dtypes."""
    return D.from_tensor_slices((tf.range(40), tf.constant([0.5, -1.0] * 20, tf.bfloat16)))


def structures():
    """Nested structures, strings, booleans and empty tensors."""
    strings = tf.constant(["a", "", "x" * 300])
    values = {"a": tf.range(3), "b": (tf.ones([3, 2], tf.float64), strings), "c": tf.zeros([3, 2, 0])}
    return D.from_tensor_slices((values, tf.constant([[True, False]] * 3), tf.constant([["ab", "c"]] * 3)))


def shapes():
    """Matrices of two shapes."""
    return D.range(3).batch(2)


def composites():
    """Sparse and ragged tensors."""
    sparse = tf.sparse.from_dense([[1.5, 0.0], [0.0, 3.0], [0.0, 0.0]])
    return D.from_tensor_slices((sparse, tf.ragged.constant([[["a"], []], [["b", "c"]], []])))


def nothing():
    """Elements with None."""
    return D.range(2).map(lambda x: (x, None))


def empty():
    """No elements."""
    return D.range(0)


DATASETS = {made.__name__: made for made in (numbers, structures, shapes, composites, nothing, empty)}
COMPRESSIONS = (None, "GZIP", "ZLIB", "SNAPPY")


def plain(value: Any) -> Any:
    """Parts of an element, with their dtypes and shapes, as values that can be compared."""
    if isinstance(value, dict):
        return {key: plain(value[key]) for key in sorted(value)}
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    if isinstance(value, tf.SparseTensor):
        return plain([value.indices, value.values, value.dense_shape])
    if isinstance(value, tf.RaggedTensor):
        return plain([value.flat_values, *value.nested_row_splits])
    if isinstance(value, tf.Tensor):
        return [value.dtype.name, value.shape.as_list(), np.array(value.numpy()).tolist()]
    return value


def read(dataset: Any) -> list[Any]:
    """The elements of a dataset, as values that can be compared."""
    return [plain(element) for element in dataset]


def files_of(directory: pathlib.Path) -> dict[str, bytes]:
    """The contents of the files in a directory; the name of the run is left out of theirs."""
    found = {}
    for path in sorted(directory.rglob("*")):
        if path.is_file():
            parts = [part for part in path.relative_to(directory).parts if not part.isdigit()]
            found["/".join(parts)] = path.read_bytes()
    return found


def write(directory: pathlib.Path) -> dict[str, dict[str, bytes]]:
    """Saves and caches all datasets in `directory`, and returns the files by the name of the dataset."""
    found = {}
    for name, made in DATASETS.items():
        for kind in COMPRESSIONS:
            path = directory / f"{name}-{kind}"
            made().save(str(path), compression=kind)
            found[path.name] = files_of(path)
        path = directory / f"{name}-cache"
        path.mkdir()
        read(made().cache(str(path / "cache")))
        found[path.name] = files_of(path)
    return found


@functools.cache
def recorded(writer: str) -> dict[str, dict[str, bytes]]:
    """The files that `writer` wrote, by the name of the dataset."""
    found = json.loads(gzip.decompress((GOLDEN / f"stored_{writer}.json.gz").read_bytes()))
    return {name: {path: base64.b64decode(content) for path, content in files.items()} for name, files in found.items()}


def restored(writer: str, name: str, directory: pathlib.Path) -> pathlib.Path:
    """Writes the recorded files of a dataset, and returns their directory."""
    run = "1"
    for path, content in recorded(writer)[name].items():
        target = directory / run / path if path.endswith(".snapshot") else directory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(_with_run(content, run) if path == "snapshot.metadata" else content)
    (directory / run).mkdir(exist_ok=True)
    return directory


def _with_run(metadata: bytes, run: str) -> bytes:
    """The metadata with another name of the run, which is their first field."""
    assert metadata[0] == 0x12
    return b"\x12" + bytes([len(run)]) + run.encode() + metadata[2 + metadata[1] :]


def main() -> None:
    """Records the files."""
    with tempfile.TemporaryDirectory() as directory:
        found = write(pathlib.Path(directory))
    shown = {
        name: {path: base64.b64encode(content).decode() for path, content in files.items()}
        for name, files in found.items()
    }
    content = gzip.compress(json.dumps(shown, sort_keys=True).encode(), mtime=0)
    (GOLDEN / f"stored_{WRITER}.json.gz").write_bytes(content)


if __name__ == "__main__":
    main()
