"""Files of saved and cached datasets that are broken at random: elements, or an error that names the fault."""

from __future__ import annotations

import random
import tracemalloc

import pytest

import tfcompat as tf
from tests import repetition
from tests.data import stored
from tests.data.format.hostile import mutant

D = tf.data.Dataset
# `make test` takes 320 copies in all, `make soak` 10,000.
COUNT = 625 if repetition.count(10) == 10 else 20
# The most elements of a dataset that is recorded is 40, and the files have less than 10,000 bytes.
MOST_ELEMENTS, MOST_BYTES = 400, 32 << 20
ERRORS = (
    tf.errors.DataLossError,
    tf.errors.InvalidArgumentError,
    tf.errors.NotFoundError,
    tf.errors.UnimplementedError,
    NotImplementedError,
)
SAVED = ("dataset_spec.pb", "snapshot.metadata", "1/00000000.shard/00000000.snapshot")
CACHED = ("cache.index", "cache.data-00000-of-00001")
CASES = [
    *[(name, path, kind) for name in ("structures", "composites") for path in SAVED for kind in ("None", "SNAPPY")],
    *[(name, path, "cache") for name in ("structures", "composites") for path in CACHED],
]


@pytest.mark.soak
@pytest.mark.parametrize(("name", "path", "kind"), CASES)
def test_broken_file(name, path, kind, tmp_path):
    stored.restored("tensorflow", f"{name}-{kind}", tmp_path)
    whole = (tmp_path / path).read_bytes()
    draw = random.Random(f"{name} {path} {kind}")
    wanted = stored.read(stored.DATASETS[name]())
    cache = stored.DATASETS[name]().cache(str(tmp_path / "cache")) if kind == "cache" else None
    outcomes = set()
    tracemalloc.start()
    for _ in range(COUNT):
        broken = mutant(whole, draw)
        (tmp_path / path).write_bytes(broken)
        try:
            dataset = D.load(str(tmp_path), compression=None if kind == "None" else kind) if cache is None else cache
            found = stored.read(dataset.take(MOST_ELEMENTS))
            outcomes.add("the same" if found == wanted else "others")
        except ERRORS as error:
            outcomes.add(type(error).__name__)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MOST_BYTES
    assert outcomes & {"DataLossError", "NotFoundError"}
    # Checksums find damage in values, and in the index.
    if path.endswith((".snapshot", ".index", "00001")):
        assert "others" not in outcomes
