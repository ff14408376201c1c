"""Files of checkpoints that are broken at random: nothing is restored from them, and an error names the fault."""

from __future__ import annotations

import io
import random
import tracemalloc

import numpy as np
import pytest

import tfcompat as tf
from tests import repetition
from tests.data.format.hostile import mutant
from tfcompat._data.format.sorted_table import TableWriter, _BlockWriter, _entries
from tfcompat._data.format.stored_message import stored_messages
from tfcompat._data.format.stored_tensor import number_bytes
from tfcompat._data.format.wire import varint
from tfcompat._saved import saving

# `make test` takes 320 copies in all, `make soak` 10,400.
COUNT = 2600 if repetition.count(10) == 10 else 80
MOST_BYTES = 16 << 20
ERRORS = (tf.errors.DataLossError, tf.errors.NotFoundError, tf.errors.InvalidArgumentError)
FOOTER = 48
ENDS = (".index", ".data-00000-of-00001")


def made(k):
    module = tf.Module()
    module.parts = [tf.Variable(tf.fill([40], float(k))), {"b": tf.Variable(["x" * k, "y"])}]
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    table.insert(["a"], [k])
    places = iter(tf.data.Dataset.range(20).shuffle(5, seed=1).batch(2))
    next(places)
    return tf.train.Checkpoint(module=module, table=table, places=places, k=tf.Variable(k))


def state(checkpoint):
    floats, named = checkpoint.module.parts
    table = [table.numpy().tolist() for table in checkpoint.table.export()]
    return floats.numpy().tolist(), named["b"].numpy().tolist(), table, int(checkpoint.k)


@pytest.mark.soak
@pytest.mark.parametrize("end", ENDS)
def test_broken_file(end, tmp_path):
    prefix = str(tmp_path / "ck")
    made(3).write(prefix)
    path = tmp_path / f"ck{end}"
    whole, draw = path.read_bytes(), random.Random(end)
    outcomes: dict[str, int] = {}
    checkpoint = made(1)
    before = state(checkpoint)
    tracemalloc.start()
    for _ in range(COUNT):
        broken = mutant(whole, draw)
        path.write_bytes(broken)
        try:
            checkpoint.read(prefix).expect_partial()
            outcome = "restored"
        except ERRORS as error:
            outcome = type(error).__name__
            assert state(checkpoint) == before, "a part was restored"
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
        if outcome == "restored":
            # Only bytes that belong to no tensor may have changed.
            assert broken == whole or state(checkpoint) == state(made(3))
            checkpoint = made(1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MOST_BYTES
    assert outcomes["DataLossError"] > COUNT // 2


@pytest.mark.soak
@pytest.mark.parametrize("key", ["_CHECKPOINTABLE_OBJECT_GRAPH", "places/.ATTRIBUTES/ITERATOR_STATE"])
def test_broken_content_with_right_checksums(key, tmp_path):
    """The graph of objects, and the place of an iterator, as another program could have written them."""
    prefix, source = str(tmp_path / "ck"), made(3)
    contents = saving.gathered(source._view.visits())
    is_graph = key.startswith("_")
    whole, draw = contents.graph if is_graph else contents.tensors[key].numpy(), random.Random(key)
    outcomes: dict[str, int] = {}
    checkpoint = made(1)
    before = state(checkpoint)
    for _ in range(COUNT):
        broken = mutant(whole, draw)
        changed = {"graph": broken} if is_graph else {"tensors": {**contents.tensors, key: tf.constant(broken)}}
        saving.written(prefix, contents._replace(**changed))
        try:
            checkpoint.read(prefix).expect_partial()
            outcome = "restored"
            checkpoint = made(1)
        except (*ERRORS, ValueError, NotImplementedError) as error:
            outcome = type(error).__name__
            assert state(checkpoint) == before, "a part was restored"
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
    assert outcomes["DataLossError"] > COUNT // 8, outcomes


def index_of(entries):
    """The index file of a checkpoint with `entries`: pairs of names and of messages."""
    file = io.BytesIO()
    writer = TableWriter(file)
    for key, value in entries:
        writer.add(key, value)
    writer.finish()
    return file.getvalue()


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param({"dtype": 1, "size": 1 << 60, "shape": [1 << 58]}, id="oversized"),
        pytest.param({"dtype": 1, "size": 4, "shape": [1 << 62, 1 << 62]}, id="shape"),
        pytest.param({"dtype": 1, "size": -4, "shape": [1]}, id="negative"),
        pytest.param({"dtype": 1, "size": 4, "offset": 1 << 62, "shape": [1]}, id="offset"),
        pytest.param({"dtype": 7, "size": 4, "shape": [1 << 40]}, id="strings"),
        pytest.param({"dtype": 999, "size": 4, "shape": [1]}, id="dtype"),
        pytest.param({"dtype": 1, "size": 4, "shape": [1], "shard_id": 5}, id="shard"),
        pytest.param({"dtype": 1, "size": 0, "shape": [0, 1 << 62, 1 << 62]}, id="nothing"),
        pytest.param({"dtype": 1, "size": 4, "shape": [1] * 300}, id="rank"),
        pytest.param({"dtype": 20, "size": 4, "shape": [1]}, id="resource"),
        pytest.param({"dtype": 11, "size": 1, "shape": [1]}, id="quantized"),
    ],
)
def test_impossible_entry(entry, tmp_path):
    messages = stored_messages()
    shape = messages["TensorShapeProto"](dim=[{"size": size} for size in entry["shape"]])
    header = messages["BundleHeaderProto"](num_shards=1).SerializeToString()
    stored = messages["BundleEntryProto"](**{**entry, "shape": shape}).SerializeToString()
    (tmp_path / "ck.index").write_bytes(index_of([(b"", header), (b"a", stored)]))
    (tmp_path / "ck.data-00000-of-00001").write_bytes(b"\0" * 64)
    tracemalloc.start()
    with pytest.raises(tf.errors.DataLossError):
        tf.train.load_variable(str(tmp_path / "ck"), "a")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MOST_BYTES


def test_index_that_refers_to_one_block_again_and_again(tmp_path):
    """20,000 times 20,000 entries in a file of half a megabyte."""
    header = stored_messages()["BundleHeaderProto"](num_shards=1).SerializeToString()
    content = index_of([(b"", header), *((b"%09d" % number, b"\x08\x01") for number in range(20_000))])
    place = len(content) - FOOTER
    _, after = varint(content, place, len(content))
    _, after = varint(content, after, len(content))
    start, _ = varint(content, after, len(content))
    handle = next(iter(_entries(content[start : place - 5])))[1]
    block = _BlockWriter()
    for number in range(20_000):
        block.add(b"%09d" % number, handle)
    index = block.finish()
    footer = content[place:after] + number_bytes(start) + number_bytes(len(index) - 5)
    end = footer.ljust(FOOTER - 8, b"\0") + content[-8:]
    (tmp_path / "ck.index").write_bytes(content[:start] + index + end)
    with pytest.raises(tf.errors.DataLossError, match="its names do not ascend"):
        tf.train.load_checkpoint(str(tmp_path / "ck"))


def test_circles_of_objects_are_restored(tmp_path):
    module = tf.Module()
    module.own, module.v = module, tf.Variable(np.float32(2.0))
    path = tf.train.Checkpoint(module).write(str(tmp_path / "ck"))
    module.v.assign(0.0)
    tf.train.Checkpoint(module).read(path).assert_consumed()
    assert module.v.numpy() == 2.0
