"""How often a decorated function is traced: the counts are TensorFlow's."""

from __future__ import annotations

import collections
import enum
import gc
import logging
import types
import weakref
from fractions import Fraction

import numpy as np
import pytest

import tfcompat as tf

Pair = collections.namedtuple("Pair", "a b")


class Thing:
    pass


class Side(enum.Enum):
    LEFT = 1
    RIGHT = 2


ONE, OTHER = Thing(), Thing()
SCALAR, SECOND, VECTOR = tf.Variable(1.0), tf.Variable(2.0), tf.Variable([1.0])
CALLS = {
    "integers": (2, [(1,), (2,), (1,)]),
    "1 is 1.0 is True": (1, [(1,), (1.0,), (True,)]),
    "tensors": (4, [(tf.constant(x),) for x in (1, 2, 1.0, [1], [1, 2])]),
    "arrays become tensors": (2, [(np.float32(1),), (np.float32(2),), (tf.constant(1.0),), (np.ones(1, np.float32),)]),
    "list and tuple": (2, [([tf.constant(1)],), ((tf.constant(1),),), ([tf.constant(2)],)]),
    "named tuple and tuple": (2, [(Pair(tf.constant(1), 2),), ((tf.constant(1), 2),), (Pair(tf.constant(3), 2),)]),
    "dictionaries": (2, [({"a": tf.constant(1)},), ({"b": tf.constant(1)},), ({"a": tf.constant(2)},)]),
    "order of keys": (1, [({"a": 1, "b": 2},), ({"b": 2, "a": 1},)]),
    "variables": (3, [(SCALAR,), (SECOND,), (VECTOR,), (tf.constant(1.0),)]),
    "one variable twice": (2, [(SCALAR, SECOND), (SCALAR, SCALAR), (SECOND, SCALAR)]),
    "None is not 0": (2, [(None,), (None,), (0,), (False,)]),
    "strings": (3, [("a",), ("a",), ("b",), (b"a",)]),
    "objects": (2, [(ONE,), (OTHER,), (ONE,)]),
    "classes": (2, [(int,), (float,), (int,)]),
    "dtypes": (2, [(tf.float32,), (tf.float32,), (tf.int32,)]),
    "nan": (1, [(float("nan"),), (float("nan"),)]),
    "0.0 is -0.0": (1, [(0.0,), (-0.0,)]),
    "empty containers": (3, [([],), ((),), ({},)]),
    "mappings": (1, [({"a": 1},), (collections.OrderedDict(a=1),), (collections.defaultdict(int, a=1),)]),
    "read-only mapping": (1, [(types.MappingProxyType({"a": 1}),), ({"a": 1},)]),
    "large integers": (2, [(2**70,), (2**70,), (2**71,)]),
    "equal objects": (2, [(Fraction(1, 2),), (Fraction(2, 4),), (Fraction(1, 3),)]),
    "members of enumerations": (2, [(Side.LEFT,), (Side.LEFT,), (Side.RIGHT,)]),
    "shapes": (2, [(tf.TensorShape([1, 2]),), (tf.TensorShape([1, 2]),), (tf.TensorShape([1, None]),)]),
    "variables in containers": (2, [([SCALAR],), ([SECOND],), ({"v": SCALAR},), ({"v": SECOND},)]),
    "IndexedSlices": (1, [(tf.IndexedSlices(tf.constant([x]), tf.constant([0])),) for x in (1.0, 2.0)]),
}


@pytest.mark.parametrize("name", CALLS)
def test_as_many_traces_as_under_tensorflow(name):
    expected, calls = CALLS[name]
    runs = []

    @tf.function(autograph=False)
    def function(*args):
        runs.append(args)
        return tf.constant(0)

    for args in calls:
        function(*args)
    assert len(runs) == function.experimental_get_tracing_count() == expected


def test_defaults_and_keywords_are_spellings_of_one_call():
    @tf.function(autograph=False)
    def function(x, y=2, *, z=3):
        return x + y + z

    x = tf.constant(1)
    for args, kwargs in (((x,), {}), ((x, 2), {}), ((x,), {"y": 2}), ((), {"x": x}), ((x,), {"z": 3})):
        assert function(*args, **kwargs).numpy() == 6
    assert function.experimental_get_tracing_count() == 1


def test_each_instance_traces_a_method():
    class Model:
        def __init__(self):
            self.runs = 0

        @tf.function(autograph=False)
        def step(self, x):
            self.runs += 1
            return x + 1

    first, second = Model(), Model()
    first.step(tf.constant(1))
    first.step(tf.constant(2))
    second.step(tf.constant(1))
    assert (first.runs, second.runs) == (1, 1)
    assert Model().step(tf.constant(3)).numpy() == 4


def test_a_dropped_instance_is_not_kept():
    class Model:
        @tf.function(autograph=False)
        def step(self, x):
            return x + 1

    model = Model()
    model.step(tf.constant(1))
    kept = weakref.ref(model)
    del model
    gc.collect()
    assert kept() is None


def test_frequent_retracing_is_logged_with_the_argument_that_changed(caplog):
    @tf.function(autograph=False)
    def function(x, rate):
        return x * rate

    with caplog.at_level(logging.WARNING, "tensorflow"):
        for step in range(6):
            function(tf.constant(1.0), 0.1 * step)
    assert "triggered tf.function retracing (last changed: rate)" in caplog.text
    assert "function" in caplog.text


def test_frequent_retracing_is_logged_twice_at_most(caplog):
    doubled = tf.function(lambda x: x * 2.0)
    relaxed = tf.function(lambda x: x * 2.0, reduce_retracing=True)
    signed = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([None])])
    with caplog.at_level(logging.WARNING):
        for function in (doubled, relaxed, signed):
            for n in range(30):
                function(tf.zeros([n]))
    assert len(caplog.records) == 2


def test_wrappers_of_attributes_share_the_trace_of_what_they_wrap():
    x, module = tf.constant(1.0), tf.Module()
    module.listed, module.paired, module.named = [x], (x,), Pair(x, x)
    first = tf.function(lambda values: values[0] + 1.0)
    for plain, wrapped in (([x], module.listed), ((x,), module.paired), (Pair(x, x), module.named)):
        assert first.get_concrete_function(plain) is first.get_concrete_function(wrapped)
        tf.nest.assert_same_structure(plain, wrapped)
        assert type(tf.function(lambda values: values)(wrapped)) is type(plain)
    with pytest.raises(TypeError, match="same sequence type"):
        tf.nest.assert_same_structure([x], module.paired)


def test_function_made_again_in_a_loop_is_logged(caplog):
    with caplog.at_level(logging.WARNING, "tensorflow"):
        for step in range(5):
            assert not caplog.records

            @tf.function
            def function(x):
                return x

            function(step)
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_calls_in_other_functions_are_not_counted(caplog):
    inner = tf.function(lambda x: x + 1)
    outer = tf.function(lambda x: inner(x) * 2)
    with caplog.at_level(logging.WARNING, "tensorflow"):
        for function, steps in ((inner, range(4)), (outer, range(4, 8))):
            for step in steps:
                function(step)
        assert not caplog.records
        inner(8)
    assert len(caplog.records) == 1


def test_random_streams_of_relaxed_shapes():
    tf.random.set_seed(3)
    drawn = tf.function(lambda x: tf.random.uniform([]) + 0.0 * tf.reduce_sum(x), reduce_retracing=True)
    found = [drawn(tf.zeros([n])).numpy() for n in (2, 2, 3, 3, 2, 4, 3)]
    tf.random.set_seed(None)
    # The first shape has a trace of its own, the others share one.
    assert found[:2] == found[2:4]
    assert found[4] == found[5]
    assert len(set(found)) == 4


@pytest.mark.parametrize("finds_sizes", [False, True])
def test_random_streams_of_axes_that_are_relaxed_one_after_the_other(finds_sizes):
    @tf.function(reduce_retracing=True)
    def drawn(x):
        rows = tf.boolean_mask(x, x[:, 0] > 0) if finds_sizes else x
        return tf.random.uniform([]) + 0.0 * tf.reduce_sum(rows)

    tf.random.set_seed(3)
    shapes = [(6, 6), (6, 1), (6, 4), (5, 5), (6, 6), (6, 3), (4, 6), (5, 5), (7, 2), (6, 6)]
    found = [round(float(drawn(tf.ones(shape))), 4) for shape in shapes]
    tf.random.set_seed(None)
    # TensorFlow has three traces, for [6, 6], [6, None] and [None, None].
    assert found == [0.1274, 0.1274, 0.858, 0.1274, 0.858, 0.8899, 0.858, 0.8899, 0.5136, 0.8899]


@pytest.mark.parametrize("made", [lambda k: tf.constant("x" * k), lambda k: tf.ragged.constant([[1] * k, [2]])])
def test_values_of_strings_and_rows_continue_the_random_streams(made, caplog):
    tf.random.set_seed(5)
    drawn = tf.function(lambda *_: (tf.random.uniform([]), tf.random.uniform([2], seed=3)))
    one = tf.function(lambda: (tf.random.uniform([]), tf.random.uniform([2], seed=3)))
    with caplog.at_level(logging.WARNING, "tensorflow"):
        found = [[part.numpy().tolist() for part in drawn(made(k % 12))] for k in range(15)]
    tf.random.set_seed(5)
    assert found == [[part.numpy().tolist() for part in one()] for _ in range(15)]
    assert not caplog.records


def test_one_signature_compiles_one_program():
    v = tf.Variable([1.0, 2.0])

    @tf.function(autograph=False)
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v * x)
        v.assign_sub(0.01 * tape.gradient(loss, v))
        return loss

    with tf.counted() as counters:
        for _ in range(1_000):
            step(tf.constant(0.5))
    assert (counters.compiles, counters.op_compiles, step.experimental_get_tracing_count()) == (1, 0, 1)


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((), {}, "Binding inputs to tf.function failed due to `missing a required argument: 'x'`"),
        ((1, 2, 3), {}, "too many positional arguments"),
        ((1,), {"q": 3}, "got an unexpected keyword argument 'q'"),
        (({1, 2},), {}, "Could not generate a generic TraceType for"),
        ((collections.deque([1]),), {}, "Could not generate a generic TraceType for"),
        ((bytearray(b"a"),), {}, "Could not generate a generic TraceType for"),
        (({"a": 1}.keys(),), {}, "Could not generate a generic TraceType for"),
    ],
    ids=["missing", "many", "unknown", "set", "deque", "bytearray", "keys"],
)
def test_arguments_that_do_not_fit(args, kwargs, message):
    @tf.function(autograph=False)
    def function(x, y=2):
        return x if y else y

    with pytest.raises(TypeError, match=message):
        function(*args, **kwargs)


@tf.function(autograph=False)
def with_defaults(x, y=2.0, *, z=3.0, a=None):
    return x * y + z if a is None else a


@pytest.mark.parametrize(
    ("args", "kwargs", "expected"),
    [
        ((1.0,), {}, 5.0),
        ((1.0, 3.0), {}, 6.0),
        ((), {"x": 1.0, "y": 3.0}, 6.0),
        ((1.0,), {"z": 1.0, "y": 5.0}, 6.0),
        ((1.0,), {"a": 7.0}, 7.0),
    ],
)
def test_arguments_find_their_parameters(args, kwargs, expected):
    assert with_defaults(*args, **kwargs).numpy() == expected


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((1.0, 2.0, 3.0), {}, "too many positional arguments"),
        ((1.0,), {"x": 1.0}, "multiple values for argument 'x'"),
        ((), {"y": 1.0}, "missing a required argument: 'x'"),
        ((1.0,), {"q": 1.0}, "got an unexpected keyword argument 'q'"),
    ],
)
def test_arguments_that_find_no_parameter(args, kwargs, message):
    with pytest.raises(TypeError, match=message):
        with_defaults(*args, **kwargs)


def test_traces_that_fail_are_not_counted():
    calls = []

    @tf.function(autograph=False)
    def function(x):
        calls.append(1)
        if len(calls) < 3:
            raise KeyError("boo")
        return x

    for _ in range(2):
        with pytest.raises(KeyError):
            function(tf.constant(1.0))
    function(tf.constant(1.0))
    assert (len(calls), function.experimental_get_tracing_count()) == (3, 1)


def test_arguments_are_not_kept():
    thing = Thing()
    function = tf.function(lambda thing, x: x if thing else None, autograph=False)
    function(thing, tf.constant(1.0))
    kept = weakref.ref(thing)
    del thing
    gc.collect()
    assert kept() is None
