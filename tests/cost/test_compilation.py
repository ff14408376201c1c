"""The number of programs that a training loop compiles: one for its first step, one for all others."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf


class Model:
    """A small network with Adam written out, as users write it."""

    def __init__(self, width=4):
        rng = np.random.default_rng(0)
        self.x = tf.constant(rng.normal(size=(8, 3)).astype(np.float32))
        self.y = tf.constant(rng.normal(size=(8, 1)).astype(np.float32))
        shapes = [(3, width), (width,), (width, 1), (1,)]
        self.weights = [tf.Variable(rng.normal(size=shape).astype(np.float32)) for shape in shapes]
        self.first = [tf.Variable(tf.zeros(shape)) for shape in shapes]
        self.second = [tf.Variable(tf.zeros(shape)) for shape in shapes]
        self.count = tf.Variable(0.0)

    def loss(self):
        w, b, u, c = self.weights
        return tf.reduce_mean(tf.square(tf.tanh(self.x @ w + b) @ u + c - self.y))

    def step(self, rate=0.01):
        with tf.GradientTape() as tape:
            loss = self.loss()
        self.apply(tape.gradient(loss, self.weights), rate)
        return loss

    def apply(self, gradients, rate):
        self.count.assign_add(1.0)
        for v, m, s, g in zip(self.weights, self.first, self.second, gradients):
            m.assign(0.9 * m + 0.1 * g)
            s.assign(0.999 * s + 0.001 * tf.square(g))
            v.assign_sub(rate * m / (tf.sqrt(s) + 1e-7))


def test_fixed_loop_compiles_nothing_after_the_third_step():
    model = Model(width=5)
    with tf.counted() as first:
        for _ in range(3):
            model.step()
        tf.sync()
    with tf.counted() as rest:
        for _ in range(20):
            model.step()
    assert first.compiles <= 2
    assert rest.compiles == 0
    # The last step is still pending.
    assert (rest.flushes, dict(rest.causes)) == (19, {"tape": 19})


def test_step_read_at_its_end_is_one_program():
    model = Model(width=6)
    for _ in range(3):
        float(model.step())
    with tf.counted() as counts:
        for _ in range(10):
            float(model.step())
    assert (counts.compiles, counts.flushes, counts.cache_hits, counts.op_by_op) == (0, 10, 10, 0)


def test_printing_every_third_loss_compiles_at_most_once_more(capsys):
    model = Model(width=7)
    for _ in range(3):
        model.step()
    tf.sync()
    with tf.counted() as counts:
        for i in range(21):
            loss = model.step()
            if i % 3 == 0:
                print(loss)
    assert counts.compiles <= 1
    assert capsys.readouterr().out.count("tf.Tensor(") == 7


def test_hundred_learning_rates_compile_two_programs():
    model = Model(width=8)
    with tf.counted() as counts:
        for i in range(100):
            model.step(rate=0.1 / (i + 1))
        tf.sync()
    assert counts.compiles <= 2


@pytest.mark.parametrize(
    "of", [lambda i: 0.1 * i, lambda i: i, lambda i: float(i % 2), lambda i: -0.0 if i % 2 else 0.0]
)
def test_number_that_changes_compiles_nothing(of):
    v = tf.Variable([1.0, 2.0])
    for i in range(3):
        (v * of(i) + 1.0).numpy()
    with tf.counted() as counts:
        answers = [(v * of(i) + 1.0).numpy().tolist() for i in range(30)]
    assert counts.compiles == 0
    np.testing.assert_allclose(answers, [[of(i) + 1.0, 2.0 * of(i) + 1.0] for i in range(30)], rtol=1e-6)


def test_batch_of_numpy_arrays_compiles_nothing():
    v = tf.Variable(tf.ones([3]))

    def step(batch):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(v * batch))
        v.assign_sub(0.01 * tape.gradient(loss, v))

    rng = np.random.default_rng(0)
    for _ in range(3):
        step(rng.normal(size=3).astype(np.float32))
    tf.sync()
    with tf.counted() as counts:
        for _ in range(10):
            step(rng.normal(size=3).astype(np.float32))
        tf.sync()
    assert counts.compiles == 0


def test_losses_kept_in_a_list_compile_nothing():
    model = Model(width=9)
    losses = [model.step() for _ in range(4)]
    with tf.counted() as counts:
        losses += [model.step() for _ in range(20)]
        tf.sync()
    assert counts.compiles <= 1
    assert len({float(loss) for loss in losses}) == 24
    assert float(losses[0]) > float(losses[-1])


def test_running_mean_of_losses_compiles_nothing():
    model, total = Model(width=10), tf.constant(0.0)
    for _ in range(4):
        total += model.step()
    tf.sync()
    with tf.counted() as counts:
        for _ in range(20):
            total += model.step()
        tf.sync()
    assert counts.compiles <= 1
    assert float(total) > 0.0


def test_gradients_accumulated_over_batches_compile_nothing():
    model = Model(width=11)

    def step():
        total = None
        for _ in range(4):
            with tf.GradientTape() as tape:
                loss = model.loss()
            gradients = tape.gradient(loss, model.weights)
            total = gradients if total is None else [a + b for a, b in zip(total, gradients)]
        model.apply([g / 4.0 for g in total], 0.01)

    for _ in range(3):
        step()
    tf.sync()
    with tf.counted() as counts:
        for _ in range(10):
            step()
        tf.sync()
    assert counts.compiles == 0


def test_gradients_accumulated_in_variables_compile_nothing():
    model = Model(width=12)
    sums = [tf.Variable(tf.zeros_like(v)) for v in model.weights]

    def step(i):
        with tf.GradientTape() as tape:
            loss = model.loss()
        for s, g in zip(sums, tape.gradient(loss, model.weights)):
            s.assign_add(g)
        if i % 4 == 3:
            model.apply([s.read_value() for s in sums], 0.01)
            for s in sums:
                s.assign(tf.zeros_like(s))

    for i in range(12):
        step(i)
    tf.sync()
    with tf.counted() as counts:
        for i in range(20):
            step(i)
        tf.sync()
    assert counts.compiles == 0


def test_two_models_alternating_compile_nothing():
    one, other = Model(width=13), Model(width=14)
    for _ in range(4):
        one.step()
        other.step()
    tf.sync()
    with tf.counted() as counts:
        for _ in range(10):
            one.step()
            other.step()
        tf.sync()
    assert counts.compiles == 0


def test_equal_models_share_their_programs():
    first = Model(width=15)
    for _ in range(3):
        first.step()
    tf.sync()
    second = Model(width=15)
    tf.sync()
    with tf.counted() as counts:
        for _ in range(5):
            second.step()
        tf.sync()
    assert counts.compiles == 0


def test_loop_without_any_read_compiles_a_bounded_number():
    v = tf.Variable([1.0, 2.0])
    with tf.counted() as counts:
        for i in range(3_000):
            v.assign(v * 0.999 + 0.001)
            if i == 1_500:
                half = counts_now()
    assert counts.causes["limit"] >= 2
    assert counts.compiles <= 3
    assert counts_now() - half <= 1
    np.testing.assert_allclose(v, [1.0, 1.0 + 0.999**3_000], rtol=1e-3)


def counts_now():
    return tf.counters().compiles


def test_reading_a_metric_now_and_then_compiles_once_for_it():
    model, seen = Model(width=16), tf.Variable(0.0)

    def step(i):
        loss = model.step()
        seen.assign_add(loss)
        if i % 10 == 9:
            return float(seen) / 10.0
        return None

    for i in range(20):
        step(i)
    with tf.counted() as counts:
        for i in range(40):
            step(i)
    assert counts.compiles == 0


def test_evaluation_between_steps_compiles_once():
    model = Model(width=17)
    for _ in range(3):
        model.step()
        float(model.loss())
    with tf.counted() as counts:
        for _ in range(10):
            model.step()
            float(model.loss())
    assert counts.compiles == 0


def test_shapes_that_come_back_compile_once_each():
    v = tf.Variable(2.0)

    def step(size):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * tf.ones([size]))
        v.assign_sub(0.01 * tape.gradient(loss, v))

    for size in (3, 5, 3, 5, 3, 5):
        step(size)
    tf.sync()
    with tf.counted() as counts:
        for size in (5, 3) * 5:
            step(size)
        tf.sync()
    assert counts.compiles == 0


def test_counted_while_loop_in_a_tape_is_one_program():
    v = tf.Variable(0.5)

    def step():
        with tf.GradientTape() as tape:
            _, y = tf.while_loop(lambda i, _: i < 5, lambda i, y: (i + 1, y * v), (tf.constant(0), tf.constant(1.0)))
        v.assign_sub(0.1 * tape.gradient(y, v))
        return float(y)

    for _ in range(3):
        step()
    with tf.counted() as counts:
        for _ in range(5):
            step()
    assert (counts.compiles, dict(counts.causes)) == (0, {"read": 5})


@pytest.mark.usefixtures("without_host")
@pytest.mark.parametrize("method", ["gradient", "jacobian"])
def test_derivative_of_a_long_chain_compiles_one_program_at_its_first_call(method):
    v = tf.Variable([0.5, -0.25])

    def derivative():
        with tf.GradientTape() as tape:
            y = v
            for _ in range(45):
                y = y + 0.01 * tf.stack([y[1], y[0] * y[1] - tf.sin(y[0])])
        return getattr(tape, method)(y, v).numpy()

    with tf.counted() as first:
        derivative()
    with tf.counted() as second:
        derivative()
    assert (first.compiles, first.op_compiles) == (1, 0)
    assert (second.compiles, second.op_compiles, second.cache_hits) == (0, 0, 1)


def test_second_step_of_ops_that_are_run_at_once_compiles_nothing():
    model = Model(width=7)
    with tf.config.immediate():
        model.step()
        with tf.counted() as counts:
            model.step(0.02)
    assert (counts.compiles, counts.op_compiles) == (0, 0)
    assert counts.flushes == counts.op_by_op > 50


class Adam:
    """An optimizer that creates its slots at the first step, as Keras does."""

    def __init__(self):
        self.slots = []
        self.count = None

    def apply(self, gradients, variables):
        if self.count is None:
            self.count = tf.Variable(0.0)
            self.slots = [(tf.Variable(tf.zeros_like(v)), tf.Variable(tf.zeros_like(v))) for v in variables]
        self.count.assign_add(1.0)
        for (m, s), g, v in zip(self.slots, gradients, variables, strict=True):
            m.assign(0.9 * m + 0.1 * g)
            s.assign(0.999 * s + 0.001 * g * g)
            v.assign_sub(0.01 * (m / (1 - 0.9**self.count)) / (tf.sqrt(s / (1 - 0.999**self.count)) + 1e-7))


def fit(step, batches):
    for x, y in batches:
        loss = step(x, y)
    return float(loss)


def classifier():
    """A training step of a small network, its optimizer's slots still to be made."""
    chance = np.random.default_rng(0)
    first = chance.standard_normal((4, 8)).astype(np.float32), np.zeros(8, np.float32)
    weights = [tf.Variable(a) for a in (*first, chance.standard_normal((8, 3)).astype(np.float32))]
    optimizer = Adam()

    def step(x, y):
        with tf.GradientTape() as tape:
            logits = tf.matmul(tf.nn.relu(tf.matmul(x, weights[0]) + weights[1]), weights[2])
            entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
            loss = tf.reduce_mean(entropy)
        optimizer.apply(tape.gradient(loss, weights), weights)
        return loss

    return step


def batches(*sizes):
    chance = np.random.default_rng(1)
    return [(chance.standard_normal((n, 4)).astype(np.float32), chance.integers(0, 3, n)) for n in sizes]


def test_function_that_makes_slots_at_its_first_call_compiles_one_program():
    step = tf.function(classifier(), autograph=False)
    with tf.counted() as counts:
        fit(step, batches(8, 8, 8, 8))
    assert counts.compiles == 1


def test_decorated_loop_with_a_partial_last_batch_compiles_two_programs():
    step = tf.function(classifier(), autograph=False)
    with tf.counted() as counts:
        for _ in range(4):
            fit(step, batches(8, 8, 8, 8, 5))
    assert counts.compiles == 2
    assert step.experimental_get_tracing_count() == 3


def test_undecorated_loop_with_a_partial_last_batch_compiles_at_most_one_more():
    step = classifier()
    with tf.counted() as counts:
        for _ in range(4):
            fit(step, batches(8, 8, 8, 8, 5))
    assert 2 <= counts.compiles <= 3


def test_decorated_function_of_many_equal_steps_is_compiled_at_its_second_call():
    @tf.function
    def repeated(x):
        for _ in range(300):  # as those of the layers of a deep model, or of several replicas
            x = tf.tanh(x) * 1.5
        return x

    x, compiles = tf.constant([0.1, 0.2, 0.3]), []
    for _ in range(4):
        with tf.counted() as counts:
            repeated(x).numpy()
        compiles.append(counts.compiles)
    assert compiles == [0, 1, 0, 0]
