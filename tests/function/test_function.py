"""Decorated functions against undecorated ones; every number is TensorFlow's."""

from __future__ import annotations

import copy
import inspect
import pickle
import threading

import numpy as np
import pytest

import tfcompat as tf


def plain(function):
    return tf.function(function, autograph=False)


def test_structures_come_back_with_tensors_in_them():
    answer = plain(lambda x: {"a": x * 2, "b": [3, None], "c": None, "d": ("s", True, np.float64(2))})(1.5)
    assert answer["a"].numpy() == 3.0
    assert (answer["c"], answer["b"][1]) == (None, None)
    assert [part.dtype for part in (answer["b"][0], *answer["d"])] == [tf.int32, tf.string, tf.bool, tf.float64]
    assert answer["d"][0].numpy() == b"s"
    assert plain(lambda: None)() is None


def test_attributes_of_the_python_object_are_those_of_the_function():
    class Scale(tf.Module):
        def __init__(self):
            super().__init__(name="scale")
            self.factor = tf.Variable(2.0)
            self.history = []

        def __call__(self, x):
            return x * self.factor

    module = Scale()
    decorated = tf.function(module)
    assert decorated.factor is module.factor
    assert decorated.history is module.history
    assert decorated(tf.constant(3.0)).numpy() == 6.0
    module.later = 1
    assert not hasattr(decorated, "later")
    assert not hasattr(decorated, "trainable_variables")


def test_attributes_do_not_replace_those_of_the_function():
    def double(x):
        return 2.0 * x

    double.name, double.tag = "mine", 5
    decorated = tf.function(double)
    assert (decorated.name, decorated.tag) == ("double", 5)


def test_what_is_no_tensor_is_refused():
    with pytest.raises(TypeError, match="found return value of type object, which is not a Tensor or ExtensionType"):
        plain(object)()


def test_reads_and_assignments_keep_the_order_of_the_program():
    v = tf.Variable(1.0)

    @plain
    def function(x):
        before = v.read_value()
        v.assign(x * 2)
        between = v + 0
        v.assign_add(x)
        return before, between, v.value(), v

    assert [part.numpy() for part in function(tf.constant(5.0))] == [1.0, 10.0, 15.0, 15.0]
    assert v.numpy() == 15.0
    assert plain(lambda x: function(x)[1] + v)(tf.constant(1.0)).numpy() == 5.0
    assert v.numpy() == 3.0


def test_variables_as_arguments():
    first, second = tf.Variable(1.0), tf.Variable(2.0)

    @plain
    def swap(a, b):
        held = a.read_value()
        a.assign(b)
        b.assign(held)

    swap(first, second)
    assert (first.numpy(), second.numpy()) == (2.0, 1.0)
    swap(second, first)
    assert (first.numpy(), second.numpy()) == (1.0, 2.0)
    swap(first, first)
    assert first.numpy() == 1.0
    assert swap.experimental_get_tracing_count() == 2


def test_variables_are_made_on_the_first_call():
    held = []

    @plain
    def function(x):
        if not held:
            held.append(tf.Variable(x * 2))
        held[0].assign_add(x)
        return held[0] + 0.0

    assert [function(tf.constant(1.0)).numpy() for _ in range(3)] == [3.0, 4.0, 5.0]
    assert held[0].numpy() == 5.0
    assert function.experimental_get_tracing_count() == 2


def test_variables_are_made_for_a_concrete_function():
    held = []

    @plain
    def function(x):
        if not held:
            held.append(tf.Variable(3.0))
        return held[0] * x

    concrete = function.get_concrete_function(tf.TensorSpec([]))
    assert held[0].numpy() == 3.0
    assert concrete(tf.constant(2.0)).numpy() == 6.0


@pytest.mark.parametrize("wrap", [lambda f: f, plain], ids=["plain", "nested"])
def test_a_variable_made_in_the_first_call_is_assigned_once_by_it(wrap):
    held = []

    @wrap
    def inner(x):
        if not held:
            held.append(tf.Variable(1.0))
        return held[0].assign_add(x) + 0.0

    function = plain(lambda x: inner(x))
    assert [function(tf.constant(x)).numpy() for x in (1.0, 2.0)] == [2.0, 4.0]
    assert held[0].numpy() == 4.0


def test_variables_made_at_every_call_are_refused():
    with pytest.raises(ValueError, match="only supports singleton"):
        plain(lambda: tf.Variable(1.0) + 1)()
    kept = []
    function = plain(lambda: kept.append(tf.Variable(1.0)))
    for _ in range(2):
        with pytest.raises(ValueError, match="created on the first call"):
            function()


def test_captured_tensors_and_numbers_are_frozen():
    held = [tf.constant(3.0), 2.0]
    function = plain(lambda: held[0] * held[1])
    assert function().numpy() == 6.0
    held[:] = [tf.constant(5.0), 7.0]
    assert function().numpy() == 6.0


def test_a_pending_argument_is_computed_first():
    x = tf.constant([1.0, 2.0])
    v = tf.Variable([0.0, 0.0])
    v.assign(x * 3)
    assert plain(lambda y: tf.reduce_sum(y * v))(x + 1).numpy() == 24.0


class TestGradients:
    def test_tape_outside(self):
        v = tf.Variable(5.0)

        @plain
        def function(x):
            v.assign(x * 2)
            between = v + 0
            v.assign_add(x)
            return between

        with tf.GradientTape() as tape:
            y = function(tf.constant(3.0)) * v
        assert tape.gradient(y, v).numpy() == 15.0
        assert [watched is v for watched in tape.watched_variables()] == [True]

    def test_second_order(self):
        x, v = tf.constant(2.0), tf.Variable(3.0)
        cube = plain(lambda x: x**3 * v)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = cube(x)
            slope = inner.gradient(y, x)
        assert (slope.numpy(), outer.gradient(slope, x).numpy()) == (36.0, 36.0)

    def test_tape_inside_and_outside(self):
        x = tf.constant(2.0)

        @plain
        def slope(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x**3
            return tape.gradient(y, x)

        with tf.GradientTape() as tape:
            tape.watch(x)
            y = slope(x)
        assert (y.numpy(), tape.gradient(y, x).numpy()) == (12.0, 12.0)

    def test_jacobian(self):
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = plain(lambda x: tf.stack([x * x, x]))(x)
        np.testing.assert_array_equal(tape.jacobian(y, x), [4.0, 1.0])

    def test_custom_gradient_whose_function_reads_the_forward_pass(self):
        @tf.custom_gradient
        def clipped(x):
            y = x * x
            return y, lambda upstream: upstream * tf.minimum(y, 1.0)

        x = tf.constant(2.0)
        function = plain(lambda x: clipped(x) + clipped(0.25 * x))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x) + function(x * 3)
        assert tape.gradient(y, x).numpy() == pytest.approx(4.8125)

    def test_gathered_variable_gets_indexed_slices(self):
        table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(plain(lambda i: tf.gather(table, i))(tf.constant([0, 2, 0])))
        gradient = tape.gradient(y, table)
        assert isinstance(gradient, tf.IndexedSlices)
        np.testing.assert_array_equal(tf.convert_to_tensor(gradient), [[2.0, 2.0], [0.0, 0.0], [1.0, 1.0]])

    def test_forward_mode(self):
        x = tf.constant(2.0)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
            y = plain(lambda x: x**3)(x)
        assert accumulator.jvp(y).numpy() == 12.0

    def test_unconnected_is_none(self):
        x, v = tf.constant(2.0), tf.Variable(1.0)
        with tf.GradientTape() as tape:
            y = plain(lambda x: x * x)(x)
        assert tape.gradient(y, v) is None


class TestRandom:
    def test_streams_go_on_from_call_to_call(self):
        tf.random.set_seed(1)

        @plain
        def function():
            return tf.random.uniform([3], seed=5), tf.random.shuffle(tf.range(8), seed=3)

        first, second = function(), function()
        np.testing.assert_allclose(first[0], [0.195606, 0.02986085, 0.36493087], rtol=1e-6)
        np.testing.assert_allclose(second[0], [0.44306076, 0.88781226, 0.5292921], rtol=1e-6)
        np.testing.assert_array_equal(first[1], [7, 4, 0, 2, 3, 5, 6, 1])
        np.testing.assert_array_equal(second[1], [2, 5, 7, 0, 3, 6, 1, 4])
        inlined = plain(lambda: function()[0] + 1.0)
        np.testing.assert_allclose(inlined(), [1.195606, 1.0298609, 1.3649309], rtol=1e-6)
        tf.random.set_seed(1)
        np.testing.assert_allclose(function()[0], first[0])

    def test_each_body_numbers_its_draws(self):
        tf.random.set_seed(3)

        @plain
        def function(x):
            return tf.random.normal([2]), tf.nn.dropout(x, 0.3)

        draws = [function(tf.ones([4])) for _ in range(2)]
        np.testing.assert_allclose([normal for normal, _ in draws], [[-1.8647, 0.8026], [-0.4123, -0.2517]], atol=1e-4)
        np.testing.assert_array_equal([kept.numpy() > 0 for _, kept in draws], [[1, 1, 1, 0], [1, 1, 1, 0]])
        normal, _ = plain(lambda: function(tf.ones([4])))()
        np.testing.assert_allclose(normal, [-1.8647, 0.8026], atol=1e-4)

    def test_without_seeds_calls_differ(self):
        tf.random.set_seed(None)
        function = plain(lambda: tf.random.normal([4]))
        assert not np.array_equal(function(), function())

    def test_generators_go_on(self):
        generator = tf.random.Generator.from_seed(1)
        function = plain(lambda: generator.normal([2]))
        np.testing.assert_allclose(function(), [0.43842274, -0.53439844], rtol=1e-5)
        np.testing.assert_allclose(function(), [1.6307176, 0.00784778], rtol=1e-5)


def test_running_eagerly():
    values = []
    function = plain(lambda x: values.append(float(x)))
    tf.config.run_functions_eagerly(True)
    try:
        assert tf.config.functions_run_eagerly()
        function(tf.constant(1.5))
        function(tf.constant(2.5))
    finally:
        tf.config.run_functions_eagerly(False)
    assert values == [1.5, 2.5]


def test_where_code_runs():
    seen = []

    @plain
    def function():
        seen.append((tf.executing_eagerly(), tf.inside_function()))
        with tf.init_scope():
            seen.append((tf.executing_eagerly(), (tf.constant(1.0) + 1).numpy()))

    function()
    assert seen == [(False, True), (True, 2.0)]
    assert (tf.executing_eagerly(), tf.inside_function()) == (True, False)


def test_an_error_while_tracing_leaves_everything_as_it_was():
    v = tf.Variable(1.0)

    @plain
    def function(x):
        v.assign(x)
        return tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))

    with pytest.raises(ValueError, match="matmul"):
        function(tf.constant(5.0))
    assert v.numpy() == 1.0
    assert (v + 1).numpy() == 2.0
    assert tf.executing_eagerly()


def test_an_error_of_the_program_leaves_variables_as_they_were():
    v = tf.Variable(1.0)

    @plain
    def function(x):
        v.assign_add(1.0)
        tf.debugging.assert_positive(x)
        return x

    assert function(tf.constant(1.0)).numpy() == 1.0
    with pytest.raises(tf.errors.InvalidArgumentError):
        function(tf.constant(-1.0)).numpy()
    assert v.numpy() == 2.0


@pytest.mark.parametrize(
    "require",
    [
        tf.debugging.assert_positive,
        lambda x: tf.Assert(x > 0, [x]),
        lambda x: tf.debugging.check_numerics(tf.sqrt(x), ""),
    ],
    ids=["assert_positive", "Assert", "check_numerics"],
)
def test_an_assertion_fails_at_the_call(require):
    @plain
    def function(x):
        require(x)

    for bad in (-1.0, -2.0, -3.0):
        function(tf.constant(1.0))
        with pytest.raises(tf.errors.InvalidArgumentError):
            function(tf.constant(bad))
    assert tf.add(1.0, 1.0).numpy() == 2.0


def test_a_bad_value_of_another_program_does_not_reach_variables():
    v = tf.Variable(1.0)
    add = plain(lambda y: v.assign_add(tf.reduce_sum(y)))
    add(tf.constant([1.0, 1.0]))
    with tf.GradientTape():
        y = tf.constant([1.0, -1.0]) * 3.0
        tf.debugging.assert_positive(y)
    with pytest.raises(tf.errors.InvalidArgumentError, match="assert_positive"):
        add(y + 2.0)
    assert v.numpy() == 3.0


class Doubled:
    factor = 2.0

    @tf.function(autograph=False)
    def call(self, x):
        return x * self.factor


def test_a_decorated_method_can_be_decorated_again():
    doubled = Doubled()
    again = tf.function(doubled.call, autograph=False)
    assert (again(tf.constant(3.0)).numpy(), again.name) == (6.0, "call")


def test_a_method_is_one_object_while_somebody_has_it():
    doubled = Doubled()
    method = doubled.call
    assert method is doubled.call
    assert method is not Doubled().call
    assert str(inspect.signature(method)) == "(x)"
    assert (inspect.getfullargspec(method).args, inspect.getfullargspec(Doubled.call).args) == (["x"], ["self", "x"])
    assert Doubled.call is Doubled.call


def tripled(x):
    return x * 3.0


def test_functions_are_copied_and_pickled_without_their_traces():
    x = tf.constant(2.0)
    function = tf.function(tripled)
    function(x)
    for again in (copy.copy(function), copy.deepcopy(function), pickle.loads(pickle.dumps(function))):
        assert again.experimental_get_tracing_count() == 0
        assert again(x).numpy() == 6.0
    assert copy.deepcopy(Doubled()).call(x).numpy() == 4.0
    with pytest.raises((AttributeError, pickle.PicklingError), match="local object"):
        pickle.dumps(tf.function(lambda x: x))


def append(items):
    items.append(1)


def replace(items):
    items[0] = items[0] * 2


def extend(items):
    items += [1]


def put(items):
    items["new"] = 1


def take(items):
    return items.pop("old")


class TestArgumentsAreNotChanged:
    @pytest.mark.parametrize("change", [append, replace, extend, put, take], ids=lambda change: change.__name__)
    def test_changes_are_refused(self, change):
        given = {"old": tf.constant(1.0)} if change in (put, take) else [tf.constant(1.0)]
        with pytest.raises(
            ValueError, match=rf"{change.__name__}\(items\) should not modify its Python input arguments"
        ):
            plain(change)(given)
        assert len(given) == 1

    def test_all_parameters_that_were_changed_are_named(self):
        def function(a, b=None, *rest, k=3):
            b.append(k)
            rest[0].append(1)
            return a

        with pytest.raises(ValueError, match="should not modify") as caught:
            plain(function)(tf.constant(1.0), [1], [2])
        assert str(caught.value).endswith(
            "function(a, b=None, *rest, k=3) should not modify its Python input arguments. "
            "Modifying a copy is allowed. The following parameter(s) were modified: b, rest"
        )

    def test_what_is_no_change(self):
        x = tf.constant(1.0)
        assert plain(lambda items: [*items, items[0] * 2.0])([x])[1].numpy() == 2.0
        assert plain(lambda **more: more.update(z=1) or more["a"])(a=x).numpy() == 1.0


@pytest.mark.parametrize("autograph", [True, False])
def test_errors_about_dtypes_are_type_errors(autograph):
    ints, floats = tf.constant([1]), tf.constant([1.0])
    for function in (
        lambda: floats + ints,
        lambda: tf.maximum(floats, ints),
        lambda: tf.sqrt(ints),
        lambda: tf.concat([floats, ints], 0),
        lambda: tf.gather(floats, floats),
        lambda: tf.reduce_sum(floats > 0.0),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            function()
        with pytest.raises(TypeError):
            tf.function(function, autograph=autograph)()
    with pytest.raises(ValueError, match="broadcast"):
        tf.function(lambda: floats + tf.ones([2, 3]) + tf.ones([5]), autograph=autograph)()


def test_another_thread_cannot_use_what_is_traced():
    found = []

    def use(x):
        try:
            found.append(x + 1.0)
        except TypeError as error:
            found.append(str(error))

    @plain
    def function(x):
        thread = threading.Thread(target=use, args=(x,))
        thread.start()
        thread.join()
        return x

    function(tf.constant(1.0))
    assert "out of scope" in found[0]


def test_an_interrupt_while_tracing_leaves_everything_as_it_was():
    v = tf.Variable(1.0)
    calls = []

    @plain
    def function(x):
        calls.append(1)
        v.assign(100.0)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return x

    with pytest.raises(KeyboardInterrupt):
        function(tf.constant(2.0))
    assert (v.numpy(), tf.executing_eagerly()) == (1.0, True)
    assert function(tf.constant(2.0)).numpy() == 2.0
    assert v.numpy() == 100.0


def test_function_that_is_traced_calls_one_that_makes_two_variables():
    made = []

    @tf.function(autograph=False)
    def inner(x):
        if not made:
            made.extend((tf.Variable(2.0), tf.Variable(3.0)))
        return x * made[0] + made[1]

    outer = plain(lambda x: inner(x) + 1.0)
    assert [outer(tf.constant(1.0)).numpy() for _ in range(3)] == [6.0] * 3


def test_later_objects_whose_method_makes_a_variable_are_as_the_first():
    class Counter:
        def __init__(self):
            self.count = None

        @tf.function(autograph=False)
        def __call__(self, x):
            if self.count is None:
                self.count = tf.Variable(0.0)
            self.count.assign_add(1.0)
            return tf.reshape(x, [4]) * 2.0

    for _ in range(4):
        counter = Counter()
        for k in range(2):
            assert counter(tf.ones([2, 2])).numpy().tolist() == [2.0] * 4
            assert counter.count.numpy() == k + 1.0
