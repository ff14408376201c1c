"""Why a program is compiled: the first difference from the nearest one that is known, with the user's lines."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

import tfcompat as tf
from tests.explained import explained, forget_structures
from tfcompat._core.programs import reason
from tfcompat._core.programs.program import Extent
from tfcompat._core.programs.program_cache import cache

NOTHING = "no known program is like it"
# The code, from line 2 on, and why each of its programs is compiled.
CASES = {
    "shape of a leaf": (
        """
for size in (8, 7):
    x = tf.constant(np.ones([size, 64], np.float32))
    tf.tanh(x).numpy()
""",
        [NOTHING, "step 0 at train.py:4: leaf float32[7,64], was float32[8,64], in the program compiled at train.py:4"],
    ),
    "dtype of a leaf": (
        """
for dtype in (np.float32, np.float64):
    tf.tanh(tf.constant(np.ones([2], dtype))).numpy()
""",
        [NOTHING, "step 0 at train.py:3: leaf float64[2], was float32[2], in the program compiled at train.py:3"],
    ),
    "a number in the place of an array": (
        """
for x in (tf.constant([1.0]), tf.constant(1.0)):
    (x + x).numpy()
""",
        [NOTHING, "step 0 at train.py:3: number float32[], was leaf float32[1], in the program compiled at train.py:3"],
    ),
    "an attribute": (
        """
v = tf.Variable([[1.0, 2.0]])
for axis in (1, 0, None):
    y = tf.reduce_sum(v, axis=axis)
    y.numpy()
""",
        [
            NOTHING,
            "step 1 at train.py:4: reduce_sum(axis=0), was reduce_sum(axis=1), in the program compiled at train.py:5",
            "step 1 at train.py:4: reduce_sum, was reduce_sum(axis=0), in the program compiled at train.py:5",
        ],
    ),
    "an op": (
        """
v = tf.Variable([1.0, 2.0])
for activation in (tf.tanh, tf.sin):
    y = activation(v)
    (y * 2.0).numpy()
""",
        [NOTHING, "step 1 at train.py:4: sin, was tanh, in the program compiled at train.py:5"],
    ),
    "the inputs": (
        """
v = tf.Variable([1.0, 2.0])
for other in (0, 1):
    y = tf.sin(v), tf.cos(v)
    (y[0] * y[other]).numpy()
""",
        [
            NOTHING,
            "step 3 at train.py:5: multiply of step 1 and step 2, was of step 1 and step 1, "
            "in the program compiled at train.py:5",
        ],
    ),
    "a number among the inputs": (
        """
v = tf.Variable([1.0, 2.0])
for other in (v, 2.0):
    (v * other).numpy()
""",
        [
            NOTHING,
            "step 1 at train.py:4: multiply of step 0 and a float32 number, was of step 0 and step 0, "
            "in the program compiled at train.py:4",
        ],
    ),
    "the number of inputs": (
        """
v = tf.Variable([1.0, 2.0])
for count in (2, 3):
    tf.add_n([v] * count).numpy()
""",
        [NOTHING, "step 1 at train.py:4: add_n of 3 inputs, was of 2, in the program compiled at train.py:4"],
    ),
    "the target of the gradient": (
        """
v, c = tf.Variable([1.0, 2.0]), tf.constant([3.0, 4.0])
for is_watched in (False, True):
    with tf.GradientTape() as tape:
        h = tf.tanh(v)
        if is_watched:
            tape.watch(c)
        y = h * c
    tape.gradient(y, v).numpy()
""",
        [
            NOTHING,
            "step 5 at train.py:9: gradient[multiply] for inputs 0 and 1, was for input 0, "
            "in the program compiled at train.py:9",
        ],
    ),
    "another function": (
        """
v = tf.Variable([1.0, 2.0])
for _ in range(2):
    tf.from_jax(lambda x: x * x)(v).numpy()
""",
        [
            NOTHING,
            "step 1 at train.py:4: from_jax(<lambda>) with another function or other constants than "
            "in the program compiled at train.py:4",
        ],
    ),
    "more steps at the end": (
        """
v = tf.Variable([1.0, 2.0])
for depth in (1, 2, 4):
    y = v
    for _ in range(depth):
        y = tf.tanh(y)
    y.numpy()
""",
        [
            NOTHING,
            "it adds step 2 at train.py:6 (tanh) to the program compiled at train.py:7",
            "it adds 2 steps, from step 3 at train.py:6 (tanh) on, to the program compiled at train.py:7",
        ],
    ),
    "fewer steps at the end": (
        """
v = tf.Variable([1.0, 2.0])
for depth in (3, 1):
    y = v
    for _ in range(depth):
        y = tf.tanh(y)
    y.numpy()
""",
        [
            NOTHING,
            "it leaves out 2 steps, from step 2 at train.py:6 (tanh) on, of the program compiled at train.py:7",
        ],
    ),
    "a step more in between": (
        """
v = tf.Variable([1.0, 2.0])
for is_squared in (False, True):
    y = tf.tanh(v)
    if is_squared:
        y = tf.square(y)
    (y * 2.0).numpy()
""",
        [NOTHING, "it adds step 2 at train.py:6 (square) to the program compiled at train.py:7"],
    ),
    "steps less in between": (
        """
v = tf.Variable([1.0, 2.0])
for is_squared in (True, False):
    y = tf.tanh(v)
    if is_squared:
        y = tf.exp(tf.square(y))
    (y * 2.0).numpy()
""",
        [
            NOTHING,
            "it leaves out 2 steps, from step 2 at train.py:6 (square) on, of the program compiled at train.py:7",
        ],
    ),
    "a read within a longer trace": (
        """
v = tf.Variable([1.0, 2.0])
for is_read in (False, True):
    with tf.GradientTape() as tape:
        h = tf.tanh(v)
        if is_read:
            h.numpy()
        y = h * 2.0
    tape.gradient(y, v).numpy()
""",
        [
            NOTHING,
            "it leaves out 4 steps, from step 2 at train.py:8 (multiply) on, of the program compiled at train.py:9",
            "it runs the steps from 2 on, and the program compiled at train.py:9 ran those from 0 on",
        ],
    ),
    "a trace that continues after a read": (
        """
v = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = tf.tanh(v)
    y.numpy()
    y = tf.exp(y) * 2.0
y.numpy()
""",
        [NOTHING, "it continues where the program compiled at train.py:5 ended"],
    ),
    "a value known from an earlier run": (
        """
v = tf.Variable([1.0, 2.0])
for is_kept in (False, True):
    with tf.GradientTape() as tape:
        h = tf.tanh(v)
        y = tf.exp(h)
        if not is_kept:
            del h
        y.numpy()
        z = y * 2.0
    tape.gradient(z, v).numpy()
""",
        [
            NOTHING,
            "it continues where the program compiled at train.py:9 ended",
            "the value of step 1 at train.py:5 (tanh) is kept alive, and was not in the program compiled at train.py:9",
            "the value of step 1 at train.py:5 (tanh) is known from an earlier run, and was not in "
            "the program compiled at train.py:11",
        ],
    ),
    "a tensor kept alive": (
        """
v = tf.Variable([1.0, 2.0])
kept = []
for step in range(3):
    h = tf.tanh(v)
    y = tf.exp(h)
    if step > 0:
        kept.append(h)
    del h
    y.numpy()
""",
        [
            NOTHING,
            "the value of step 1 at train.py:5 (tanh) is kept alive, and was not in the program compiled at "
            "train.py:10",
        ],
    ),
    "many tensors kept alive": (
        """
v = tf.Variable([1.0, 2.0])
kept = []
for count in (0, 5):
    parts = tf.split(v * 2.0, 2) + [tf.exp(v * rate) for rate in (1.0, 2.0, 3.0)]
    y = tf.concat(parts, 0)
    kept += parts[:count]
    del parts
    y.numpy()
""",
        [
            NOTHING,
            "the value of step 2 at train.py:5 (split(num_or_size_splits=(1, 1))), "
            "the value of step 3 at train.py:5 (split(num_or_size_splits=(1, 1))), "
            "the value of step 5 at train.py:5 (exp) and 2 more are kept alive, and were not in the program compiled "
            "at train.py:9",
        ],
    ),
    "a variable assigned": (
        """
v = tf.Variable([1.0, 2.0], name="v")
for step in range(3):
    h = tf.tanh(v)
    y = tf.exp(h)
    if step > 0:
        v.assign(h)
    del h
    y.numpy()
""",
        [NOTHING, "the new value of variable 'v:0' is kept alive, and was not in the program compiled at train.py:9"],
    ),
    "buffers taken over": (
        """
v, w = tf.Variable(np.ones(2000), name="v"), tf.Variable(np.ones(3000), name="w")
for step in range(6):
    held = (v.read_value(), w.read_value()) if step < 2 else None
    v.assign(v * 0.5)
    w.assign(w * 0.5)
    tf.sync()
""",
        [
            NOTHING,
            "it takes over the buffer of variable 'v:0' and variable 'w:0', unlike the program compiled at train.py:7",
        ],
    ),
    "one more variable kept by a check": (
        """
v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable([1.0, 2.0], name="w")
rows = tf.Variable([1, 0])
for step in range(3):
    h, k = v * 0.5, w * 0.25
    y = tf.gather(h, rows * 1)
    v.assign(h)
    if step > 0:
        w.assign(k)
    tf.sync()
""",
        [
            NOTHING,
            "where a check fails it keeps the value of variable 'w:0', unlike the program compiled at train.py:10",
        ],
    ),
    "one variable less kept by a check": (
        """
v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable([1.0, 2.0], name="w")
rows = tf.Variable([1, 0])
for step in range(3):
    h, k = v * 0.5, w * 0.25
    y = tf.gather(h, rows * 1)
    v.assign(h)
    if step == 0:
        w.assign(k)
    tf.sync()
""",
        [
            NOTHING,
            "where a check fails it keeps the values of fewer variables than the program compiled at train.py:10",
        ],
    ),
    "another structure in between": (
        """
v = tf.Variable([1.0, 2.0])
for size in (2, 2, 3):
    x = tf.constant(np.ones([size], np.float32))
    tf.tanh(tf.sin(x)).numpy()
    tf.exp(v).numpy()
""",
        [
            NOTHING,
            NOTHING,
            "step 0 at train.py:5: leaf float32[3], was float32[2], in the program compiled at train.py:5",
        ],
    ),
    "nothing alike at the same line": (
        """
def log(y):
    y.numpy()

log(tf.Variable([1.0, 2.0]) * 2.0)
log(tf.ones([3]))
""",
        [NOTHING, NOTHING],
    ),
    "nothing alike, recorded and flushed at the same lines": (
        """
v = tf.Variable([1.0, 2.0])
for is_first in (True, False):
    y = tf.tanh(v) if is_first else tf.ones([3])
    y.numpy()
""",
        [
            NOTHING,
            "step 0 at train.py:4: ones(shape=(3,), dtype=tf.float32), was leaf float32[2], "
            "in the program compiled at train.py:5",
        ],
    ),
    "the nearest of several": (
        """
def log(y):
    y.numpy()

v = tf.Variable([1.0, 2.0])
log(tf.tanh(tf.sin(v)) * 2.0)
log(tf.exp(v))
log(tf.exp(tf.tanh(tf.sin(v)) * 2.0))
""",
        [
            NOTHING,
            "step 1 at train.py:7: exp, was sin, in the program compiled at train.py:3",
            "it adds step 4 at train.py:8 (exp) to the program compiled at train.py:3",
        ],
    ),
    "the trace of a function": (
        """
@tf.function(autograph=False)
def double(x):
    return tf.tanh(x) * 2.0

for size in (8, 7):
    x = tf.constant(np.ones([size], np.float32))
    double(x)
""",
        [NOTHING, "step 0 at train.py:8: leaf float32[7], was float32[8], in the program compiled at train.py:8"],
    ),
    "forgotten steps": (
        """
v = tf.Variable([1.0, 2.0])
for _ in range(2):
    tf.tanh(v).numpy()
    forget_structures()
""",
        [NOTHING, "tfcompat had forgotten these steps, which are those of the program compiled at train.py:4"],
    ),
}


@pytest.fixture
def reasons(tmp_path, monkeypatch):
    """A function that runs a program as `train.py` and answers why each of its programs was compiled.

    Each recording has a program of its own.
    """
    monkeypatch.setattr("tfcompat._core.tracing.flush.runs_op_by_op", lambda *_: False)
    monkeypatch.setattr("tfcompat._core.tracing.flush.varying", lambda *_: None)

    def run(source, **names):
        lines = explained(source, tmp_path, monkeypatch, **names)
        return [
            re.sub(r"^tfcompat: compiling .*?, flushed at \S*: ", "", line) for line in lines if "compiling" in line
        ]

    return run


@pytest.mark.parametrize(("source", "why"), CASES.values(), ids=CASES.keys())
def test_reason_is_the_first_difference(reasons, source, why):
    assert reasons(source, forget_structures=forget_structures) == why


def test_line_says_what_is_compiled_and_where(tmp_path, monkeypatch):
    source = "\nv = tf.Variable([1.0, 2.0])\ny = tf.tanh(v)\ny.numpy()\n"
    monkeypatch.setattr("tfcompat._core.tracing.flush.runs_op_by_op", lambda *_: False)
    assert explained(source, tmp_path, monkeypatch) == [
        "tfcompat: compiling 2 values ending at train.py:3, flushed at train.py:4: no known program is like it",
        "tfcompat: flush at train.py:4 (read): 1 steps, compiled",
    ]


def test_structure_that_ran_op_by_op_before_has_come_back(reasons, monkeypatch):
    def run_op_by_op(is_by_op):
        monkeypatch.setattr("tfcompat._core.tracing.flush.runs_op_by_op", lambda *_: is_by_op)

    source = """
v = tf.Variable([1.0, 2.0])
for activation in (tf.sin, tf.tanh, tf.tanh):
    run_op_by_op(activation is tf.tanh and reads == 1)
    reads = reads + 1
    activation(v).numpy()
"""
    assert reasons(source, run_op_by_op=run_op_by_op, reads=0) == [
        NOTHING,
        "it ran op by op at its first run, and runs again; step 1 at train.py:6: tanh, was sin, "
        "in the program compiled at train.py:6",
    ]


def test_program_that_was_dropped(reasons, monkeypatch):
    monkeypatch.setattr(tf.config.settings, "max_programs", 1)
    source = """
v = tf.Variable([1.0, 2.0])
for activation in (tf.sin, tf.tanh, tf.sin):
    activation(v).numpy()
"""
    assert reasons(source)[2] == "its program was dropped, as tf.config.settings.max_programs or max_steps was reached"


def test_program_compiled_unexplained_is_called_by_its_last_line(reasons):
    source = """
v = tf.Variable([1.0, 2.0])
for activation in (tf.sin, tf.tanh):
    y = activation(v) * 2.0
    y.numpy()
    forget_lines()
"""
    assert reasons(source, forget_lines=reason.clear) == [
        NOTHING,
        "step 1 at train.py:4: tanh, was sin, in the program that ends at train.py:4",
    ]


def test_values_in_another_order_are_said_to_be(reasons):
    reasons("\ny = tf.tanh(tf.Variable([1.0, 2.0]))\ny.numpy()\n")
    (program,) = cache.latest()
    program.extent = Extent(2, (0, 1), ())
    new = SimpleNamespace(owner=program.owner, extent=Extent(2, (1, 0), ()))
    assert reason._of_extent(None, new, program) == (
        "values known from an earlier run come in another order than in the program compiled at "
        f"{program.owner.line.replace(':2', ':3')}"
    )


def test_reasons_are_not_looked_for_by_default(monkeypatch):
    def refuse(*_):
        raise AssertionError

    monkeypatch.setattr("tfcompat._core.tracing.flush.report_compilation", refuse)
    monkeypatch.setattr("tfcompat._core.programs.program_cache.note_dropped", refuse)
    monkeypatch.setattr("tfcompat._function.functions.function.report_trace", refuse)
    monkeypatch.setattr(tf.config.settings, "max_programs", 1)
    v = tf.Variable([1.0, 2.0])
    for _ in range(2):
        tf.function(lambda x: tf.tanh(x) * 2.0)(v)
    with tf.counted() as counts:
        for activation in (tf.sin, tf.tanh, tf.sin) * 2:
            activation(tf.exp(v)).numpy()
    assert counts.flushes == 6
