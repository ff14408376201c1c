"""Calls of `tf.summary`. `python -m tests.golden.record summary` records their events and errors from TensorFlow."""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.summary.event_reader import events

STEP = 7


def ramp(*shape: int, dtype: str = "float32", low: float = 0.0, high: float = 1.0) -> np.ndarray:
    """Numbers from `low` to `high` in `shape`."""
    return np.linspace(low, high, int(np.prod(shape))).reshape(shape).astype(dtype)


# A message `Summary` with the value 2.0 and the tag "q".
SUMMARY = b"\x0a\x08\x0a\x01q\x15\x00\x00\x00\x40"
METADATA = b"\x0a\x06\x0a\x01p\x12\x01c\x12\x04name"
CALLS: dict[str, Callable[[Any], Any]] = {
    # Scalars.
    "scalar float": lambda tf: tf.summary.scalar("x", 0.1),
    "scalar int": lambda tf: tf.summary.scalar("x", 3),
    "scalar bool": lambda tf: tf.summary.scalar("x", True),
    "scalar tensor": lambda tf: tf.summary.scalar("x", tf.constant(1e300, tf.float64)),
    "scalar half": lambda tf: tf.summary.scalar("x", tf.constant(1.5, tf.bfloat16)),
    "scalar numpy": lambda tf: tf.summary.scalar("x", np.float64(0.1)),
    "scalar complex": lambda tf: tf.summary.scalar("x", tf.constant(1 + 2j)),
    "scalar nan": lambda tf: tf.summary.scalar("x", float("nan")),
    "scalar variable": lambda tf: tf.summary.scalar("x", tf.Variable(2.5)),
    "scalar vector": lambda tf: tf.summary.scalar("x", [1.0]),
    "scalar string": lambda tf: tf.summary.scalar("x", "1"),
    "scalar None": lambda tf: tf.summary.scalar("x", None),
    "scalar description": lambda tf: tf.summary.scalar("x", 1.0, description="*d*"),
    "scalar no description": lambda tf: tf.summary.scalar("x", 1.0, description=""),
    "scalar bad description": lambda tf: tf.summary.scalar("x", 1.0, description=3),
    # Tags.
    "tag slash": lambda tf: tf.summary.scalar("/a/", 1.0),
    "tag signs": lambda tf: tf.summary.scalar("ä !", 1.0),
    "tag None": lambda tf: tf.summary.scalar(None, 1.0),
    "tag empty": lambda tf: tf.summary.image("", ramp(1, 1, 1, 1)),
    "tag int": lambda tf: tf.summary.scalar(3, 1.0),
    "tag bytes": lambda tf: tf.summary.scalar(b"a", 1.0),
    # Steps.
    "step int": lambda tf: tf.summary.scalar("x", 1.0, step=2**40),
    "step zero": lambda tf: tf.summary.scalar("x", 1.0, step=0),
    "step negative": lambda tf: tf.summary.scalar("x", 1.0, step=-1),
    "step bool": lambda tf: tf.summary.scalar("x", 1.0, step=True),
    "step list": lambda tf: tf.summary.scalar("x", 1.0, step=[4]),
    "step numpy": lambda tf: tf.summary.scalar("x", 1.0, step=np.int32(4)),
    "step tensor": lambda tf: tf.summary.scalar("x", 1.0, step=tf.constant(4, tf.int64)),
    "step vector": lambda tf: tf.summary.scalar("x", 1.0, step=tf.constant([4], tf.int64)),
    "step variable": lambda tf: tf.summary.scalar("x", 1.0, step=tf.Variable(4, dtype=tf.int64)),
    "step int32": lambda tf: tf.summary.scalar("x", 1.0, step=tf.constant(4)),
    "step int32 variable": lambda tf: tf.summary.scalar("x", 1.0, step=tf.Variable(4)),
    "step float": lambda tf: tf.summary.scalar("x", 1.0, step=1.5),
    "step text": lambda tf: tf.summary.scalar("x", 1.0, step="a"),
    "step two": lambda tf: tf.summary.scalar("x", 1.0, step=[4, 5]),
    # Images.
    "image float": lambda tf: tf.summary.image("i", ramp(2, 2, 3, 1, low=-0.1, high=1.1)),
    "image double": lambda tf: tf.summary.image("i", ramp(1, 3, 2, 3, dtype="float64")),
    "image half": lambda tf: tf.summary.image("i", tf.constant(ramp(1, 3, 2, 2), tf.float16)),
    "image uint8": lambda tf: tf.summary.image("i", ramp(1, 4, 5, 4, dtype="uint8", high=255), description="d"),
    "image int8": lambda tf: tf.summary.image("i", ramp(1, 4, 5, 3, dtype="int8", low=-100, high=127)),
    "image int32": lambda tf: tf.summary.image("i", ramp(1, 4, 5, 1, dtype="int32", high=2.0**31 - 1)),
    "image uint16": lambda tf: tf.summary.image("i", ramp(1, 4, 5, 1, dtype="uint16", high=2.0**16 - 1)),
    "image nan": lambda tf: tf.summary.image("i", np.full([1, 2, 2, 1], np.nan, "float32")),
    "image list": lambda tf: tf.summary.image("i", [tf.zeros([2, 2, 1]), tf.ones([2, 2, 1])]),
    "image four": lambda tf: tf.summary.image("i", ramp(4, 2, 2, 1)),
    "image two of four": lambda tf: tf.summary.image("i", ramp(4, 2, 2, 1), max_outputs=2),
    "image tensor of four": lambda tf: tf.summary.image("i", ramp(4, 2, 2, 1), max_outputs=tf.constant(3)),
    "image none of four": lambda tf: tf.summary.image("i", ramp(4, 2, 2, 1), max_outputs=0),
    "image no image": lambda tf: tf.summary.image("i", ramp(0, 2, 2, 1)),
    "image fewer": lambda tf: tf.summary.image("i", ramp(1, 2, 2, 1), max_outputs=-1),
    "image half of one": lambda tf: tf.summary.image("i", ramp(1, 2, 2, 1), max_outputs=0.5),
    "image outputs None": lambda tf: tf.summary.image("i", ramp(1, 2, 2, 1), max_outputs=None),
    "image rank": lambda tf: tf.summary.image("i", ramp(2, 2, 1)),
    "image channels": lambda tf: tf.summary.image("i", ramp(1, 2, 2, 5)),
    "image bool": lambda tf: tf.summary.image("i", np.zeros([1, 2, 2, 1], bool)),
    "image complex": lambda tf: tf.summary.image("i", tf.zeros([1, 2, 2, 1], tf.complex64)),
    "image string": lambda tf: tf.summary.image("i", "a"),
    # Histograms.
    "histogram": lambda tf: tf.summary.histogram("h", ramp(5, 9, low=-1.3, high=2.9)),
    "histogram double": lambda tf: tf.summary.histogram("h", np.sin(ramp(1000, dtype="float64", high=77)), buckets=7),
    "histogram int": lambda tf: tf.summary.histogram("h", [3, 1, 4, 1, 5, 9, 2, 6], buckets=4, description="d"),
    "histogram bool": lambda tf: tf.summary.histogram("h", [True, False, True], buckets=2),
    "histogram complex": lambda tf: tf.summary.histogram("h", tf.constant([1j, 2.0]), buckets=2),
    "histogram ragged": lambda tf: tf.summary.histogram("h", tf.ragged.constant([[1.0], [2.0, 4.0]]), buckets=2),
    "histogram variable": lambda tf: tf.summary.histogram("h", tf.Variable([[1.0, 3.0]]), buckets=1),
    "histogram equal": lambda tf: tf.summary.histogram("h", [5.0, 5.0, 5.0], buckets=3),
    "histogram scalar": lambda tf: tf.summary.histogram("h", -1.5),
    "histogram empty": lambda tf: tf.summary.histogram("h", np.zeros([0, 2], "float32"), buckets=3),
    "histogram nan": lambda tf: tf.summary.histogram("h", [5.0, float("nan")], buckets=2),
    "histogram inf": lambda tf: tf.summary.histogram("h", [5.0, float("inf")], buckets=2),
    "histogram infinite": lambda tf: tf.summary.histogram("h", [-float("inf"), float("inf")], buckets=3),
    "histogram no bucket": lambda tf: tf.summary.histogram("h", [5.0, 6.0], buckets=0),
    "histogram fewer": lambda tf: tf.summary.histogram("h", [5.0, 6.0], buckets=-1),
    "histogram buckets": lambda tf: tf.summary.histogram("h", [5.0, 6.0], buckets=tf.constant(2)),
    "histogram int64 buckets": lambda tf: tf.summary.histogram("h", [5.0], buckets=tf.constant(2, tf.int64)),
    "histogram float buckets": lambda tf: tf.summary.histogram("h", [5.0], buckets=1.5),
    "histogram vector buckets": lambda tf: tf.summary.histogram("h", [5.0], buckets=[2]),
    "histogram string": lambda tf: tf.summary.histogram("h", ["a"]),
    "histogram None": lambda tf: tf.summary.histogram("h", None),
    # Text.
    "text": lambda tf: tf.summary.text("t", "# title"),
    "text bytes": lambda tf: tf.summary.text("t", b"\xff"),
    "text table": lambda tf: tf.summary.text("t", [["a", "b"], ["c", ""]], description="d"),
    "text numpy": lambda tf: tf.summary.text("t", np.array(["x"])),
    "text empty": lambda tf: tf.summary.text("t", tf.constant([], tf.string)),
    "text number": lambda tf: tf.summary.text("t", 1),
    # Sound.
    "audio": lambda tf: tf.summary.audio("a", ramp(2, 5, 2, low=-1.2, high=1.2), 8000),
    "audio one": lambda tf: tf.summary.audio("a", ramp(2, 5, 1), 44100, max_outputs=1, encoding="wav", description="d"),
    "audio none": lambda tf: tf.summary.audio("a", ramp(2, 5, 1), 44100, max_outputs=0),
    "audio no clip": lambda tf: tf.summary.audio("a", ramp(0, 5, 1), 44100),
    "audio silence": lambda tf: tf.summary.audio("a", ramp(1, 0, 1), 44100),
    "audio tensor": lambda tf: tf.summary.audio("a", ramp(1, 2, 1), tf.constant(100)),
    "audio fewer": lambda tf: tf.summary.audio("a", ramp(1, 2, 1), 100, max_outputs=-1),
    "audio rank": lambda tf: tf.summary.audio("a", ramp(2, 1), 100),
    "audio double": lambda tf: tf.summary.audio("a", ramp(1, 2, 1, dtype="float64"), 100),
    "audio int": lambda tf: tf.summary.audio("a", ramp(1, 2, 1, dtype="int32"), 100),
    "audio no channel": lambda tf: tf.summary.audio("a", ramp(1, 2, 0), 100),
    "audio no rate": lambda tf: tf.summary.audio("a", ramp(1, 2, 1), 0),
    "audio float rate": lambda tf: tf.summary.audio("a", ramp(1, 2, 1), 100.5),
    "audio encoding": lambda tf: tf.summary.audio("a", ramp(1, 2, 1), 100, encoding="mp3"),
    # Values of any kind.
    "write int": lambda tf: tf.summary.write("w", [[1, 2], [3, 4]]),
    "write string": lambda tf: tf.summary.write("w", [["a"], [""]]),
    "write bool": lambda tf: tf.summary.write("w", True),
    "write half": lambda tf: tf.summary.write("w", tf.constant([1.5], tf.bfloat16)),
    "write empty": lambda tf: tf.summary.write("w", tf.zeros([0, 2])),
    "write function": lambda tf: tf.summary.write("w", lambda: tf.constant([1.0, 2.0])),
    "write metadata": lambda tf: tf.summary.write("w", 1.0, metadata=METADATA),
    "write bad metadata": lambda tf: tf.summary.write("w", 1.0, metadata=b"\xff"),
    "write tensor tag": lambda tf: tf.summary.write(tf.constant("w"), 1.0),
    "write int tag": lambda tf: tf.summary.write(3, 1.0),
    "write None": lambda tf: tf.summary.write("w", None),
    "raw": lambda tf: tf.summary.experimental.write_raw_pb(SUMMARY),
    "raw list": lambda tf: tf.summary.experimental.write_raw_pb([SUMMARY, b"", SUMMARY]),
    "raw bad": lambda tf: tf.summary.experimental.write_raw_pb(b"\xff"),
    "raw number": lambda tf: tf.summary.experimental.write_raw_pb(1.0),
    # Conditions.
    "record_if False": lambda tf: recorded_if(tf, False),
    "record_if None": lambda tf: recorded_if(tf, None),
    "record_if tensor": lambda tf: recorded_if(tf, tf.constant(False)),
    "record_if variable": lambda tf: recorded_if(tf, tf.Variable(True)),
    "record_if function": lambda tf: recorded_if(tf, lambda: tf.equal(STEP, 7)),
    "record_if numpy": lambda tf: recorded_if(tf, np.bool_(False)),
    "record_if 0": lambda tf: recorded_if(tf, 0),
    "record_if 1": lambda tf: recorded_if(tf, 1),
    "record_if text": lambda tf: recorded_if(tf, "a"),
}


def recorded_if(tf: Any, condition: Any) -> Any:
    """The result of a call in the context of `record_if`."""
    with tf.summary.record_if(condition):
        result = tf.summary.scalar("x", 1.0)
        assert bool(result) == bool(tf.summary.should_record_summaries())
        return result


def answers(tf: Any, name: str) -> dict[str, Any]:
    """The outcomes of the call: with a default writer, under `record_if(False)`, and without a writer."""
    call = CALLS[name]
    with tempfile.TemporaryDirectory() as folder:
        writer = tf.summary.create_file_writer(folder)
        with writer.as_default(step=STEP):
            written = _outcome(tf, call)
            with tf.summary.record_if(False):
                off = _outcome(tf, call)
        writer.close()
        found = [[event.step, base64.b64encode(event.content).decode()] for event in events(folder)]
    return {"result": written, "events": found, "off": off, "alone": _outcome(tf, call)}


def _outcome(tf: Any, call: Callable[[Any], Any]) -> Any:
    """The boolean that the call returns, or the name of the class of its error."""
    try:
        result = call(tf)
    except Exception as error:
        return type(error).__name__
    assert result.dtype == tf.bool
    assert result.shape == ()
    return bool(result)
