"""`tf.py_function` and `tf.numpy_function`; values, numbers of calls and errors are TensorFlow's."""

from __future__ import annotations

import sys
import threading

import jax
import numpy as np
import pytest

import tfcompat as tf

X = tf.constant([1.0, 2.0])
PAIR = tf.TensorSpec([2], tf.float32)
SCALAR = tf.TensorSpec([], tf.float32)
BOTH = pytest.mark.parametrize("call", [tf.py_function, tf.numpy_function])


class TestEager:
    def test_py_function_calls_at_once_on_tensors(self):
        kinds = []
        answer = tf.py_function(lambda a: kinds.append(type(a)) or a * 2, [X], tf.float32)
        assert [issubclass(kind, tf.Tensor) for kind in kinds] == [True]
        np.testing.assert_array_equal(answer, [2.0, 4.0])
        assert tf.py_function(lambda _: None, [X], []) == []
        assert [part.numpy().tolist() for part in tf.py_function(lambda a: (a, a + 1), [X], [tf.float32] * 2)] == [
            [1.0, 2.0],
            [2.0, 3.0],
        ]
        assert tf.py_function(lambda _: 3, [X], tf.float32).dtype is tf.float32
        assert tf.py_function(lambda a: a + 1, [tf.Variable(2.0)], tf.float32).numpy() == 3.0

    def test_numpy_function_calls_at_once_on_arrays(self):
        np.testing.assert_array_equal(tf.numpy_function(lambda a: np.sort(-a), [X], tf.float32), [-2.0, -1.0])
        assert tf.numpy_function(lambda a: a.astype("f8"), [X], tf.float32).dtype is tf.float64
        assert tf.numpy_function(lambda a: a.sum(), [X], [tf.float32]).numpy() == 3.0
        assert len(tf.numpy_function(lambda a: (a, a), [X], [tf.float32] * 2)) == 2

    def test_numpy_function_takes_arrays_of_rank_0(self):
        kinds = []
        tf.numpy_function(lambda *arrays: kinds.extend(map(type, arrays)), [X[0], tf.constant("a"), 1.0], [])
        assert kinds == [np.ndarray] * 3
        assert tf.numpy_function(lambda x: x, [1.5], tf.float32).dtype is tf.float64

    def test_numpy_function_returns_the_leaves_of_its_result(self):
        assert tf.numpy_function(lambda: None, [], []) is None
        assert tf.numpy_function(lambda: 1, [], []).numpy() == 1
        parts = tf.numpy_function(lambda: {"b": 1, "a": (2, None)}, [], [tf.int64] * 3)
        assert [None if part is None else int(part) for part in parts] == [2, None, 1]

    def test_gradient_goes_through_tensors_and_not_through_arrays(self):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(X)
            through_tensors = tf.py_function(lambda a: a * a, [X], tf.float32)
            through_arrays = tf.numpy_function(lambda a: a * a, [X], tf.float32)
        np.testing.assert_array_equal(tape.gradient(through_tensors, X), [2.0, 4.0])
        assert tape.gradient(through_arrays, X) is None

    def test_decorators(self):
        np.testing.assert_array_equal(tf.numpy_function(Tout=tf.float32)(lambda a: a * 2)(X), [2.0, 4.0])
        np.testing.assert_array_equal(tf.py_function(Tout=tf.float32)(lambda a, b: a * b)(X, X), [1.0, 4.0])
        with pytest.raises(TypeError, match="Don't set the `inp` argument"):
            tf.py_function(inp=[X], Tout=tf.float32)

    def test_composites_are_inputs_of_py_function(self):
        rows = tf.IndexedSlices(X, tf.constant([0, 1]), tf.constant([2]))
        double = tf.function(lambda rows: tf.py_function(lambda r: r.values * 2.0, [rows], PAIR))
        np.testing.assert_array_equal(double(rows), [2.0, 4.0])

    @BOTH
    @pytest.mark.parametrize(
        ("args", "error", "message"),
        [
            ((3, [X], tf.float32), ValueError, "Expected func to be callable"),
            ((lambda a: a, None, tf.float32), TypeError, "Missing argument `inp`"),
            ((lambda a: a, [X], None), TypeError, "Missing required argument: 'Tout'"),
        ],
        ids=["func", "inp", "Tout"],
    )
    def test_arguments_that_are_missing(self, call, args, error, message):
        with pytest.raises(error, match=message):
            call(*args)


ERRORS = [
    (ValueError("boo"), tf.errors.InvalidArgumentError),
    (TypeError("boo"), tf.errors.InvalidArgumentError),
    (KeyError("boo"), tf.errors.UnknownError),
    (ZeroDivisionError("boo"), tf.errors.UnknownError),
    (StopIteration("boo"), tf.errors.OutOfRangeError),
    (MemoryError("boo"), tf.errors.ResourceExhaustedError),
    (NotImplementedError("boo"), tf.errors.UnimplementedError),
    (AssertionError("boo"), tf.errors.UnknownError),
    (tf.errors.NotFoundError(None, None, "boo"), tf.errors.UnknownError),
]


class TestErrors:
    @pytest.mark.parametrize(("raised", "expected"), ERRORS, ids=[type(raised).__name__ for raised, _ in ERRORS])
    def test_classes(self, raised, expected):
        def function(_):
            raise raised

        for run in (
            lambda: tf.py_function(function, [X], tf.float32),
            lambda: tf.function(lambda x: tf.py_function(function, [x], tf.float32), autograph=False)(X),
            lambda: tf.function(lambda x: tf.numpy_function(function, [x], PAIR), autograph=False)(X),
        ):
            with pytest.raises(expected, match=rf"{type(raised).__name__}: .*boo") as caught:
                run()
            assert caught.value.__cause__ is raised
        with pytest.raises(type(raised)):
            tf.numpy_function(function, [X], tf.float32)

    @pytest.mark.parametrize(
        ("call", "answer", "kinds", "message"),
        [
            (tf.py_function, 3.5, tf.int32, "Cannot convert 3.5 to EagerTensor of dtype int32"),
            (tf.py_function, (1,), [tf.int32] * 2, "returned 1 values, expected 2"),
            (tf.py_function, None, tf.int32, "returned 0 values, expected 1"),
            (tf.py_function, tf.constant(1.0, tf.float64), tf.float32, "requested dtype float32"),
            (tf.numpy_function, 3.5, tf.int32, "is float64, but expects int32"),
            (tf.numpy_function, 3, tf.int32, "is int64, but expects int32"),
            (tf.numpy_function, [1.0, 2.0], tf.float64, "returned 2 values, expected 1"),
        ],
    )
    def test_answers_that_do_not_fit(self, call, answer, kinds, message):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            tf.function(lambda: call(lambda: answer, [], kinds), autograph=False)()

    def test_variables_are_as_they_were(self):
        v = tf.Variable(tf.ones([2000]))

        @tf.function
        def step(x):
            v.assign_add(x * tf.ones([2000]))
            tf.py_function(lambda a: 1 / int(a), [x], [])
            v.assign_add(x * tf.ones([2000]))
            return v[0]

        assert step(tf.constant(1.0)).numpy() == 3.0
        with pytest.raises(tf.errors.UnknownError, match="ZeroDivisionError"):
            step(tf.constant(0.5))
        assert v[0].numpy() == 3.0
        assert step(tf.constant(1.0)).numpy() == 5.0

    def test_later_calls_are_left_out(self):
        calls = []

        @tf.function
        def function(x):
            tf.py_function(lambda a: 1 / int(a), [x], [])
            tf.py_function(lambda: calls.append(1), [], [])
            return x

        with pytest.raises(tf.errors.UnknownError):
            function(tf.constant(0.0))
        function(tf.constant(1.0))
        assert calls == [1]

    def test_a_loop_that_waits_for_a_call_that_failed_ends(self):
        def function():
            raise KeyError("boo")

        @tf.function
        def forever(x):
            while x < 1.0:
                x = x + tf.numpy_function(function, [], SCALAR)
            return x

        with pytest.raises(tf.errors.OpError):
            forever(tf.constant(0.0)).numpy()


class TestInFunctions:
    @BOTH
    def test_every_run_calls_once(self, call):
        seen = []
        function = tf.function(lambda x: call(lambda a: seen.append(1) or a * 2, [x + 1], PAIR))
        for _ in range(3):
            np.testing.assert_array_equal(function(X), [4.0, 6.0])
        assert len(seen) == 3
        tf.function(lambda x: [x, call(lambda a: seen.append(1) or a, [x], PAIR)][:1])(X)
        tf.function(lambda x: (call(lambda a: seen.append(1) or a, [x], tf.float32), x)[1])(X)
        assert len(seen) == 5
        tf.function(lambda x: [call(lambda a: seen.append(1) or a, [x], PAIR) for _ in range(2)])(X)
        assert len(seen) == 7

    def test_python_runs_eagerly_in_the_calling_thread(self):
        seen = []

        def look(a):
            seen.append((tf.executing_eagerly(), tf.inside_function(), threading.get_ident()))
            return a

        @tf.function
        def repeated(x):
            for _ in tf.range(2):
                x = tf.py_function(look, [x], PAIR)
            return x

        with tf.GradientTape() as tape:
            tape.watch(X)
            y = repeated(X)
        tape.gradient(y, X)
        assert seen == [(True, False, threading.get_ident())] * 2

    @BOTH
    def test_shapes_are_told_later(self, call):
        shapes = []

        @tf.function
        def function(x):
            y, z = call(
                lambda a: (a * 2, a.sum() if call is tf.numpy_function else tf.reduce_sum(a)), [x], [tf.float32] * 2
            )
            shapes.append(str(y.shape))
            y.set_shape([None])
            shapes.append(str(y.shape))
            y.set_shape(x.shape)
            return y + 1.0, tf.ensure_shape(z, []) * 2.0

        found, total = function(X)
        np.testing.assert_array_equal(found, [3.0, 5.0])
        assert total.numpy() == 6.0
        assert shapes == ["<unknown>", "(None,)"]

    def test_reshape_tells_the_shape(self):
        function = tf.function(lambda x: tf.reshape(tf.py_function(lambda a: a * a, [x], tf.float32), [2, 1]) + 1.0)
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = function(X)
        np.testing.assert_array_equal(y, [[2.0], [5.0]])
        np.testing.assert_array_equal(tape.gradient(y, X), [2.0, 4.0])

    def test_answers_of_any_shape_are_returned_and_printed(self, capfd):
        @tf.function
        def numbers(n):
            found = tf.py_function(lambda n: tf.range(n), [n], tf.int32)
            tf.print("found", found, output_stream=sys.stdout)
            return found, n

        assert [numbers(tf.constant(n))[0].numpy().tolist() for n in (2, 4)] == [[0, 1], [0, 1, 2, 3]]
        assert capfd.readouterr().out == "found [0 1]\nfound [0 1 2 3]\n"
        assert numbers.experimental_get_tracing_count() == 1

    def test_answers_of_any_shape_pass_through_functions_and_tapes(self):
        calls = []
        inner = tf.function(lambda x: tf.py_function(lambda a: calls.append(1) or a * a, [x], tf.float32))

        @tf.function
        def outer(x):
            y = inner(x)
            y.set_shape([2])
            return y + 1.0

        with tf.GradientTape(persistent=True) as tape:
            tape.watch(X)
            y, z = inner(X) * X, outer(X)
        np.testing.assert_array_equal(tape.gradient(y, X), [3.0, 12.0])
        np.testing.assert_array_equal(tape.gradient(z, X), [2.0, 4.0])
        assert len(calls) == 2

    def test_strings_come_in_and_go_out(self):
        upper = tf.function(lambda s: tf.numpy_function(lambda s: s.upper(), [s], tf.string))
        assert upper(tf.constant("abc")).numpy() == b"ABC"
        length = tf.function(lambda s, x: tf.py_function(lambda s, x: tf.strings.length(s) + x, [s, x], tf.int32))
        assert length(tf.constant("abc"), 2).numpy() == 5
        shown = tf.function(lambda x: tf.py_function(lambda a: str(float(a)), [x], tf.string))
        assert [shown(tf.constant(x)).numpy() for x in (1.0, 2.0)] == [b"1.0", b"2.0"]

    def test_wide_values_are_not_cut_in_loops(self):
        values = {}

        @tf.function
        def function(i, x, c):
            for _ in tf.range(2):
                i = tf.numpy_function(lambda i: i + 1, [i], tf.TensorSpec([], tf.int64))
                x = tf.numpy_function(lambda x: x / 3, [x], tf.TensorSpec([], tf.float64))
                c = tf.numpy_function(lambda c: c * 1j, [c], tf.TensorSpec([], tf.complex128))
            tf.py_function(lambda i: values.update(seen=int(i)), [i], [])
            return i, x, c

        i, x, c = function(tf.constant(2**40), tf.constant(1.0, tf.float64), tf.constant(1.0 / 3, tf.complex128))
        assert (i.numpy(), x.numpy(), c.numpy(), values["seen"]) == (2**40 + 2, 1 / 9, -1 / 3 + 0j, 2**40 + 2)

    def test_order_of_the_program(self, capfd):
        @tf.function
        def function(x):
            tf.print("a", output_stream=sys.stdout)
            tf.py_function(lambda: print("b", flush=True), [], [])
            for i in tf.range(2):
                tf.print("c", i, output_stream=sys.stdout)
                tf.py_function(lambda i: print("d", int(i), flush=True), [i], [])
            tf.print("e", output_stream=sys.stdout)
            return x

        function(X)
        assert capfd.readouterr().out.split("\n") == ["a", "b", "c 0", "d 0", "c 1", "d 1", "e", ""]

    def test_functions_and_tapes_within(self):
        def slope(a):
            with tf.GradientTape() as tape:
                tape.watch(a)
                y = a**3
            return tf.function(lambda d: d * 1.0)(tape.gradient(y, a))

        x = tf.constant(2.0)
        function = tf.function(lambda x: tf.py_function(slope, [x], SCALAR))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        assert (y.numpy(), tape.gradient(y, x).numpy()) == (12.0, 12.0)

    def test_branches(self):
        calls = []

        @tf.function
        def function(x):
            if x > 0.0:
                y = tf.py_function(lambda a: calls.append(1) or a * 3, [x], tf.float32)
                y.set_shape([])
            else:
                y = x
            return y

        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        assert len(calls) == 1
        assert (y.numpy(), tape.gradient(y, x).numpy(), function(tf.constant(-1.0)).numpy()) == (6.0, 3.0, -1.0)
        assert len(calls) == 1

    @pytest.mark.parametrize("over", [tf.map_fn, tf.vectorized_map])
    def test_rows(self, over):
        calls = []

        def triple(row):
            return tf.py_function(lambda a: calls.append(1) or a * 3, [row], SCALAR)

        np.testing.assert_array_equal(tf.function(lambda x: over(triple, x))(X), [3.0, 6.0])
        assert len(calls) == 2

    def test_to_jax_calls_too(self):
        function = tf.function(lambda x: tf.py_function(lambda a: a * a, [x], PAIR))
        pure = function.get_concrete_function(X).to_jax()
        x = np.array([1.0, 2.0], np.float32)
        with jax.enable_x64(True):
            np.testing.assert_array_equal(jax.grad(lambda x: pure((), x)[0].sum())(x), [2.0, 4.0])

    def test_several_threads(self):
        function = tf.function(lambda x: tf.py_function(lambda a: tf.reduce_sum(a * 2.0).numpy(), [x], SCALAR) + 1.0)
        found = []

        def run(k):
            found.extend((k, float(function(tf.fill([4], float(k))))) for _ in range(5))

        threads = [threading.Thread(target=run, args=(k,)) for k in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=300)
        assert sorted(found) == sorted([(0, 1.0), (1, 9.0), (2, 17.0)] * 5)


class TestGradients:
    def test_several_inputs_and_outputs(self):
        calls = []

        @tf.function
        def function(x, y):
            product, total = tf.py_function(lambda a, b: calls.append(1) or (a * b, a + b), [x, y], [PAIR, PAIR])
            return product * total

        y = X + 1.0
        with tf.GradientTape() as tape:
            tape.watch([X, y])
            z = function(X, y)
        slopes = tape.gradient(z, [X, y])
        np.testing.assert_array_equal(slopes, [[8.0, 21.0], [5.0, 16.0]])
        assert len(calls) == 1

    def test_variables_are_inputs(self):
        v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = tf.function(lambda x: tf.py_function(lambda a, w: a * w, [x, v], PAIR))(X)
        assert tape.gradient(y, v).numpy() == 3.0
        with tf.GradientTape() as tape:
            y = tf.function(lambda x: tf.py_function(lambda a: a * v, [x], PAIR))(X)
        assert tape.gradient(y, v) is None

    def test_complex_and_half(self):
        function = tf.function(lambda x: tf.py_function(lambda a: a * a, [x], tf.TensorSpec([], x.dtype)))
        for x, expected in (
            (tf.constant(3.0 + 1.0j, tf.complex64), 6.0 - 2.0j),
            (tf.constant(3.0, tf.float16), 6.0),
            (tf.constant(3.0, tf.float64), 6.0),
        ):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            assert tape.gradient(y, x).numpy() == expected

    def test_there_is_no_second_one(self):
        @tf.function
        def slope(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.py_function(lambda a: a * a * a, [x], SCALAR)
            return tape.gradient(y, x)

        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = slope(x)
        assert y.numpy() == 12.0
        assert tape.gradient(y, x) is None

    def test_jacobian(self):
        function = tf.function(lambda x: tf.py_function(lambda a: a * a, [x], PAIR))
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = function(X)
        np.testing.assert_array_equal(tape.jacobian(y, X), [[2.0, 0.0], [0.0, 4.0]])

    def test_read_between(self):
        calls = []
        function = tf.function(lambda x: tf.py_function(lambda a: calls.append(1) or a * a, [x], SCALAR) * 2.0)
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
            assert float(y) == 18.0
            z = y * x
        assert tape.gradient(z, x).numpy() == 54.0
        assert len(calls) == 1

    @pytest.mark.parametrize("count", [3, 12])
    def test_a_game_is_played_once(self, count):
        """The environment of a policy gradient: its answer depends on how often it was called."""
        calls = []

        def turn(action):
            calls.append(float(action))
            return np.float32(len(calls)), np.bool_(len(calls) >= count)

        weight = tf.Variable(0.5)

        @tf.function
        def play(state):
            total = tf.constant(0.0)
            for _ in tf.range(20):
                action = tf.tanh(weight * state / 4.0)
                state, is_over = tf.numpy_function(turn, [action], [tf.float32, tf.bool])
                state.set_shape([])
                is_over.set_shape([])
                total += action * state
                if is_over:
                    break
            return total

        with tf.GradientTape() as tape:
            total = play(tf.constant(1.0))
        assert len(calls) == count
        slope = tape.gradient(total, weight)
        assert len(calls) == count
        states = np.array([1.0, *range(1, count)])
        actions = np.tanh(0.5 * states / 4.0)
        rewards = np.arange(1, count + 1)
        np.testing.assert_allclose(calls, actions, rtol=1e-6)
        np.testing.assert_allclose(total, (actions * rewards).sum(), rtol=1e-6)
        np.testing.assert_allclose(slope, ((1 - actions**2) * states / 4.0 * rewards).sum(), rtol=1e-5)

    def test_what_does_not_change_in_a_loop_is_called_in_every_iteration(self):
        calls = []

        @tf.function
        def function(total):
            for _ in tf.range(5):
                total += tf.py_function(lambda: calls.append(1) or float(len(calls)), [], SCALAR)
            return total

        assert function(0.0).numpy() == 15.0
        assert len(calls) == 5


ROWS = tf.RaggedTensorSpec([2, None], tf.int32)


def rows_and(x):
    return tf.ragged.constant([[1], [2, 3]]) + x, x


@pytest.mark.parametrize("form", [lambda function: function, tf.function], ids=["eager", "function"])
def test_results_may_be_composites(form):
    @form
    def called(x):
        return tf.py_function(rows_and, [x], [ROWS, tf.int32])

    rows, x = called(tf.constant(10))
    assert (rows.to_list(), x.numpy()) == ([[11], [12, 13]], 10)
    sparse = form(lambda: tf.py_function(lambda: tf.sparse.eye(2), [], tf.SparseTensorSpec([2, 2], tf.float32)))()
    np.testing.assert_array_equal(tf.sparse.to_dense(sparse), np.eye(2))
    with pytest.raises(tf.errors.InvalidArgumentError):
        form(lambda: tf.py_function(lambda: tf.constant(1), [], ROWS))()


def test_results_in_datasets_may_be_composites():
    dataset = tf.data.Dataset.range(2).map(lambda x: tf.py_function(rows_and, [tf.cast(x, tf.int32)], [ROWS, tf.int32]))
    assert [rows.to_list() for rows, _ in dataset] == [[[1], [2, 3]], [[2], [3, 4]]]


@pytest.mark.parametrize("spec", [tf.TensorSpec([2], tf.float32), tf.float32], ids=["known", "expected"])
def test_a_python_function_calls_the_function_that_calls_it(spec):
    calls = []

    def smaller(x):
        calls.append(float(x))
        return np.full(2, float(total(tf.constant(x - 1))) if x > 0 else 1.0, np.float32)

    @tf.function
    def total(x):
        return tf.reduce_sum(tf.numpy_function(smaller, [x], spec))

    assert [float(total(tf.constant(2.0))) for _ in range(4)] == [8.0] * 4
    assert calls == [2.0, 1.0, 0.0] * 4
