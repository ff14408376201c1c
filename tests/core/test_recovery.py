"""After an error, an interrupt or a lack of memory every variable has its old value, and the next step works."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import jax
import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.programs.op_by_op import OpByOp
from tfcompat._core.programs.program import Program
from tfcompat._function.running.execution import Execution

FAILURES = [
    (RuntimeError("broken"), RuntimeError),
    (KeyboardInterrupt(), KeyboardInterrupt),
    (
        jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 8 bytes."),
        tf.errors.ResourceExhaustedError,
    ),
    (jax.errors.JaxRuntimeError("INTERNAL: something"), tf.errors.InternalError),
]
FAILURE_NAMES = ["error", "interrupt", "memory", "internal"]


class Training:
    """A line fitted with momentum: four variables and a counter."""

    def __init__(self):
        self.x = tf.constant(np.linspace(0.0, 1.0, 8, dtype=np.float32))
        self.w, self.b = tf.Variable(0.5), tf.Variable(0.0)
        self.velocities = [tf.Variable(0.0), tf.Variable(0.0)]
        self.count = tf.Variable(0)

    def step(self):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.w * self.x + self.b - 3.0 * self.x))
        for v, m, g in zip([self.w, self.b], self.velocities, tape.gradient(loss, [self.w, self.b])):
            m.assign(0.9 * m + g)
            v.assign_sub(0.1 * m)
        self.count.assign_add(1)
        return loss

    def values(self):
        return [float(v) for v in (self.w, self.b, *self.velocities, self.count)]


def failing(error):
    def call(*_args, **_kwargs):
        raise error

    return call


@pytest.mark.parametrize(("error", "raised"), FAILURES, ids=FAILURE_NAMES)
@pytest.mark.parametrize("steps", [0, 1, 4], ids=["first_step", "second_step", "later_step"])
def test_failed_program_leaves_variables_as_they_were(monkeypatch, error, raised, steps):
    training, undisturbed = Training(), Training()
    for _ in range(steps):
        training.step()
        undisturbed.step()
    before = training.values()
    tf.sync()
    with monkeypatch.context() as patch:
        patch.setattr(Program, "__call__", failing(error))
        patch.setattr(OpByOp, "__call__", failing(error))
        loss = training.step()
        with pytest.raises(raised):
            loss.numpy()
    assert training.values() == before
    for _ in range(3):
        again, expected = training.step(), undisturbed.step()
    assert training.values() == undisturbed.values()
    assert float(again) == float(expected)


@pytest.mark.parametrize(("error", "raised"), FAILURES, ids=FAILURE_NAMES)
def test_failure_when_the_next_step_begins(monkeypatch, error, raised):
    training = Training()
    for _ in range(3):
        training.step()
    before = training.values()
    with monkeypatch.context() as patch:
        patch.setattr(Program, "__call__", failing(error))
        training.step()
        with pytest.raises(raised):
            training.step()
    assert training.values() == before
    training.step()
    assert training.values() != before


def test_tensor_of_a_failed_program_can_be_read_later(monkeypatch):
    training = Training()
    for _ in range(3):
        expected = training.step()
    loss = training.step()
    with monkeypatch.context() as patch:
        patch.setattr(Program, "__call__", failing(RuntimeError("broken")))
        with pytest.raises(RuntimeError):
            loss.numpy()
    assert 0.0 < float(loss) < float(expected)


def test_failure_in_the_middle_of_a_tape(monkeypatch):
    v = tf.Variable(2.0)

    def step():
        with tf.GradientTape() as tape:
            y = v * v
            y.numpy()
            z = y * v
        return tape.gradient(z, v).numpy()

    for _ in range(3):
        step()
    v.assign_add(1.0)
    with monkeypatch.context() as patch:
        patch.setattr(Program, "__call__", failing(RuntimeError("broken")))
        patch.setattr(OpByOp, "__call__", failing(RuntimeError("broken")))
        with pytest.raises(RuntimeError):
            step()
    assert float(v) == 2.0
    assert step() == 12.0


def test_refused_op_leaves_what_was_recorded():
    v, x = tf.Variable([1.0, 2.0]), tf.constant([3.0, 4.0])
    with tf.GradientTape() as tape:
        y = v * x * 2.0
        with pytest.raises(tf.errors.InvalidArgumentError):
            y + tf.ones([3]) * 7.0
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.matmul(y, 5.0 * x)
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.reduce_sum(y, axis=4)
        z = tf.reduce_sum(y * 0.5)
    assert float(z) == 11.0
    assert tape.gradient(z, v).numpy().tolist() == [3.0, 4.0]


def test_refused_op_does_not_compile_a_loop_again():
    v = tf.Variable([1.0, 2.0])

    def step():
        with pytest.raises(tf.errors.InvalidArgumentError):
            v + tf.constant([1.0, 2.0, 3.0]) * 2.0
        v.assign(v * 0.5 + 1.0)
        return v.numpy()

    for _ in range(3):
        step()
    with tf.counted() as counts:
        for _ in range(5):
            step()
    assert counts.compiles == 0


def out_of_range(v, rows):
    """A step that reads rows at computed indices."""
    places = tf.cast(rows, tf.int32) + 1
    picked = tf.gather(v, places)
    v.assign(v * 2.0)
    return tf.reduce_sum(picked)


@pytest.mark.parametrize("warm", [0, 1, 3])
def test_bad_value_in_a_program_raises_at_the_next_read_and_changes_nothing(warm):
    v, other = tf.Variable([1.0, 2.0, 3.0]), tf.Variable(5.0)
    for _ in range(warm):
        out_of_range(v, tf.constant([0.0, 1.0])).numpy()
    before = v.numpy().tolist()
    bad = out_of_range(v, tf.constant([0.0, 7.0]))
    other.assign_add(1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf.gather: .*test_recovery.py:\d+"):
        bad.numpy()
    assert v.numpy().tolist() == before
    assert float(other) == 5.0
    assert float(out_of_range(v, tf.constant([0.0, 1.0]))) == before[1] + before[2]
    assert v.numpy().tolist() == [2.0 * x for x in before]


def test_bad_value_that_nobody_reads_raises_at_a_later_read():
    v = tf.Variable([1.0, 2.0, 3.0])
    for _ in range(2):
        out_of_range(v, tf.constant([0.0, 1.0])).numpy()
    before = v.numpy().tolist()
    out_of_range(v, tf.constant([0.0, 7.0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf.gather"):
        v.numpy()
    assert v.numpy().tolist() == before


def test_scatter_with_a_bad_computed_row_changes_nothing():
    v = tf.Variable([1.0, 2.0, 3.0])
    for row in (0.0, 1.0):
        v.scatter_add(tf.IndexedSlices([1.0], tf.cast(tf.constant([row]) * 1.0, tf.int32)))
        v.numpy()
    before = v.numpy().tolist()
    v.scatter_add(tf.IndexedSlices([1.0], tf.cast(tf.constant([9.0]) * 1.0, tf.int32)))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"scatter"):
        v.numpy()
    assert v.numpy().tolist() == before


def far_too_large(value):
    """1.6 PB: no machine has an address for it."""
    column = tf.ones([20_000_000, 1]) * value
    return tf.matmul(column, tf.transpose(column))


def test_error_of_memory_names_the_largest_tensor():
    with pytest.raises(tf.errors.ResourceExhaustedError) as caught:
        far_too_large(2.0).numpy()
    line = far_too_large.__code__.co_firstlineno + 3
    assert f"tf.matmul at {__file__}:{line}: float32[20000000,20000000]" in str(caught.value)
    assert "1,600,000,000,000,000 bytes" in str(caught.value)


def test_what_was_pending_with_an_oversized_tensor_can_be_read():
    v, w = tf.Variable(tf.ones([3]) * 5.0), tf.Variable(tf.ones([4]) * 6.0)
    fits = v * 2.0
    too_large = far_too_large(3.0)
    with pytest.raises(tf.errors.ResourceExhaustedError):
        fits.numpy()
    for _ in range(2):
        assert fits.numpy().tolist() == [10.0] * 3
        assert v.numpy().tolist() == [5.0] * 3
        with pytest.raises(tf.errors.ResourceExhaustedError, match="float32"):
            too_large.numpy()
    assert (w + 1.0).numpy().tolist() == [7.0] * 4


def test_training_goes_on_beside_an_oversized_tensor():
    training, undisturbed = Training(), Training()
    too_large = far_too_large(4.0)
    with pytest.raises(tf.errors.ResourceExhaustedError):
        training.step()
    for _ in range(3):
        training.step()
        undisturbed.step()
    assert training.values() == undisturbed.values()
    del too_large


def test_oversized_tensor_within_a_tape_leaves_the_tape_usable():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v
        too_large = far_too_large(5.0)
        with pytest.raises(tf.errors.ResourceExhaustedError):
            y.numpy()
        assert float(y) == 9.0
        z = y * v
    gradient = tape.gradient(z, v)
    assert float(gradient) == 27.0
    assert float(v + gradient) == 30.0
    del too_large


def rows_of(v, row):
    """A tensor whose bad value is found only when the program has run."""
    return tf.gather(v, tf.cast(tf.constant([0.0, row]) * 1.0, tf.int32))


def refuses(read):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf.gather: .*test_recovery.py"):
        read()


@pytest.fixture(params=[0, 1, 3], ids=["first_time", "second_time", "later"])
def warm(request):
    return request.param


def test_bad_value_is_raised_by_every_read(warm):
    v, other = tf.Variable([1.0, 2.0, 3.0]), tf.Variable(1.0)

    def step(row):
        picked = rows_of(v, row)
        other.assign_add(1.0)
        return picked, picked * 2.0

    for _ in range(warm):
        step(1.0)[1].numpy()
    before = float(other)
    picked, twice = step(9.0)
    for _ in range(3):
        refuses(picked.numpy)
        refuses(lambda: float(twice[0]))
        refuses(lambda: (picked + 1.0).numpy())
        refuses(lambda: tf.Variable(picked).numpy())
    assert float(other) == before
    assert picked.shape == (2,)
    assert step(1.0)[0].numpy().tolist() == [1.0, 2.0]


def test_what_was_computed_beside_a_bad_value_is_there(warm):
    v = tf.Variable([1.0, 2.0, 3.0])

    def step(row):
        beside = v * 2.0
        picked = rows_of(v, row)
        return beside, picked, beside[:2] + picked

    for _ in range(warm):
        [x.numpy() for x in step(1.0)]
    beside, picked, sum_of_both = step(9.0)
    refuses(picked.numpy)
    refuses(sum_of_both.numpy)
    assert beside.numpy().tolist() == [2.0, 4.0, 6.0]
    assert (beside + 1.0).numpy().tolist() == [3.0, 5.0, 7.0]


def test_accumulator_goes_on_beside_a_bad_value(warm):
    def step(x, row):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            squared = x * x
            picked = rows_of(squared, row)
            if row > 2.0:
                refuses(picked.numpy)
            cubed = squared * x
        return accumulator.jvp(cubed).numpy().tolist()

    x = tf.constant([1.0, 2.0, 3.0])
    for _ in range(warm):
        step(x, 1.0)
    assert step(x, 9.0) == [3.0, 12.0, 27.0]


def test_bad_value_that_a_later_program_reads_is_raised_there(warm):
    v, total = tf.Variable([1.0, 2.0, 3.0]), tf.Variable(0.0)

    def step(row):
        picked = rows_of(v, row)
        tf.sync()
        total.assign_add(tf.reduce_sum(picked))

    for _ in range(warm):
        step(1.0)
    before = float(total)
    step(9.0)
    refuses(tf.sync)
    assert float(total) == before
    step(1.0)
    assert float(total) == before + 3.0


def test_variable_that_was_assigned_a_bad_value_keeps_its_old_one(warm):
    v, picked = tf.Variable([1.0, 2.0, 3.0]), tf.Variable([0.0, 0.0])
    for _ in range(warm):
        picked.assign(rows_of(v, 1.0))
        tf.sync()
    before = picked.numpy().tolist()
    picked.assign(rows_of(v, 9.0))
    refuses(picked.numpy)
    assert picked.numpy().tolist() == before
    assert (picked + 1.0).numpy().tolist() == [x + 1.0 for x in before]


def test_all_bad_values_of_a_program_are_told():
    v, w = tf.Variable([1.0, 2.0, 3.0]), tf.Variable([[1.0], [2.0], [3.0], [4.0]])

    def step(row):
        places = tf.cast(tf.constant([row]) * 1.0, tf.int32)
        picked = tf.gather(v, places)
        v.scatter_sub(tf.IndexedSlices([0.0], places))
        return picked, tf.gather(w, places)

    for _ in range(3):
        [x.numpy() for x in step(1.0)]
    first, second = step(9.0)
    for read in (second.numpy, second.numpy, first.numpy):
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            read()
        lines = str(caught.value).split("\nAnd ")
        assert [line.split(":")[0] for line in lines] == ["tf.gather", "tf.scatter_rows", "tf.gather"]


def test_bad_values_of_several_programs_are_all_told():
    v = tf.Variable([1.0, 2.0, 3.0])

    def one(row):
        return tf.gather(v, tf.cast(tf.constant([row]) * 1.0, tf.int32))

    def two(row):
        return tf.gather(v, tf.cast(tf.constant([[row]]) * 1.0, tf.int32))

    for _ in range(3):
        one(1.0).numpy(), two(1.0).numpy()
    first = one(9.0)
    tf.sync()
    second = two(8.0)
    tf.sync()
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)tf.gather.*\nAnd tf.gather"):
        v.numpy()
    refuses(first.numpy)
    refuses(second.numpy)
    assert v.numpy().tolist() == [1.0, 2.0, 3.0]


@pytest.mark.usefixtures("without_host")
def test_gradient_of_a_bad_value_raises():
    v = tf.Variable([1.0, 2.0, 3.0])

    def step(row):
        with tf.GradientTape(persistent=True) as tape:
            loss = tf.reduce_sum(rows_of(v, row))
            fine = tf.reduce_sum(v * v)
            read = [float(fine)]
        return tape, loss, fine, read

    for _ in range(3):
        tape, loss, fine, _ = step(1.0)
        tape.gradient(fine, v).numpy()
    refuses(lambda: step(9.0))
    with tf.GradientTape(persistent=True) as tape:
        loss = tf.reduce_sum(rows_of(v, 9.0))
        refuses(loss.numpy)
    refuses(lambda: tf.convert_to_tensor(tape.gradient(loss, v)).numpy())


def test_listing_of_a_bad_value_says_what_is_wrong():
    v = tf.Variable([1.0, 2.0, 3.0])
    for row in (1.0, 1.0, 9.0):
        picked = rows_of(v, row)
        if row > 3.0:
            refuses(picked.numpy)
        else:
            picked.numpy()
    assert tf.listing_of(picked).startswith("no value: tf.gather: ")


def in_thread(function):
    """The result of `function` in a new thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result(timeout=300)


@pytest.mark.usefixtures("without_host")
@pytest.mark.parametrize("is_decorated", [False, True], ids=["undecorated", "decorated"])
def test_bad_value_is_raised_in_the_thread_that_ran_the_program(is_decorated):
    v = tf.Variable([1.0, 2.0, 3.0])
    mine = tf.constant([5.0]) * 2.0
    pick = tf.function(rows_of) if is_decorated else rows_of
    found = []

    def bad():
        found.append(pick(v, 9.0))
        found.append(tf.constant(1.0) + 1.0)
        if is_decorated:
            return None
        tf.sync()
        return None

    def waiting():
        bad()
        ready.set()
        assert told.wait(300)
        refuses(found[1].numpy)  # its next read
        return found[1].numpy()

    ready, told = threading.Event(), threading.Event()
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(waiting)
        assert ready.wait(300)
        # This thread reads values that do not depend on the bad value, then those that do, repeatedly.
        assert mine.numpy().tolist() == [10.0]
        assert float(tf.reduce_sum(v * 2.0)) == 12.0
        for _ in range(2):
            refuses(found[0].numpy)
            refuses(lambda: (found[0] + 1.0).numpy())
        told.set()
        assert answer.result(timeout=300) == 2.0
    assert v.numpy().tolist() == [1.0, 2.0, 3.0]


def test_bad_value_that_was_caught_does_not_slow_what_follows(monkeypatch):
    v = tf.Variable([1.0, 2.0, 3.0])
    step = tf.function(lambda x: v.assign_add(x), autograph=False)
    for _ in range(4):
        step(tf.ones([3]))
    refuses(lambda: rows_of(v, 9.0).numpy())
    step(tf.ones([3]))
    flushed = []
    monkeypatch.setattr(
        Execution, "_flush", lambda self, flat, flush=Execution._flush: flushed.append(flush(self, flat))
    )
    for _ in range(4):
        step(tf.ones([3]))
    assert not flushed
    assert v.numpy().tolist() == [10.0, 11.0, 12.0]


def test_settled_function_with_checks_is_launched(monkeypatch):
    w = tf.Variable(np.eye(4, dtype=np.float32))
    x = tf.constant(np.ones((2, 4), np.float32))

    @tf.function(autograph=False)
    def step(labels):
        with tf.GradientTape() as tape:
            entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=tf.matmul(x, w))
            loss = tf.reduce_mean(entropy)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    good = tf.identity(tf.constant([1, 2]))
    good.numpy()
    losses = [float(step(good)) for _ in range(4)]
    flushed = []
    monkeypatch.setattr(
        Execution, "_flush", lambda self, flat, flush=Execution._flush: flushed.append(flush(self, flat))
    )
    losses += [float(step(good)) for _ in range(3)]
    assert losses == sorted(losses, reverse=True)
    assert not flushed
    before = w.numpy()
    bad = step(tf.identity(tf.constant([1, 9])))
    with pytest.raises(tf.errors.InvalidArgumentError, match="sparse_softmax"):
        w.numpy()
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError, match="sparse_softmax"):
            bad.numpy()
    assert w.numpy().tolist() == before.tolist()
    assert not flushed
    assert float(step(good)) < losses[-1]


@pytest.mark.parametrize("kind", ["added", "returned", "replaced"])
@pytest.mark.parametrize("has_threads", [False, True], ids=["alone", "among_threads"])
def test_bad_value_in_a_settled_function_leaves_its_variables(kind, has_threads):
    x, v = tf.constant([1.0, 2.0, 3.0]), tf.Variable(0.0)
    ended = threading.Event()

    @tf.function(autograph=False)
    def step(index):
        row = tf.gather(x, index)
        if kind == "replaced":
            v.assign(row)
        else:
            v.assign_add(row)
        return v.read_value() if kind == "returned" else row

    with ThreadPoolExecutor(1) as pool:
        if has_threads:
            pool.submit(ended.wait, 60)
        for k in range(4):
            step(tf.constant(k % 3))
        before = float(v)
        bad = step(tf.constant(99))
        for _ in range(2):
            refuses(bad.numpy)
        assert float(v) == before
        step(tf.constant(1))
        assert float(v) == 2.0 if kind == "replaced" else before + 2.0
        ended.set()


def test_bad_value_of_another_thread_stays_bad_after_it_was_read_here():
    v = tf.Variable([1.0, 2.0, 3.0])
    for _ in range(3):
        rows_of(v, 1.0).numpy()
    bad = rows_of(v, 9.0)

    def read():
        for _ in range(2):
            refuses(bad.numpy)

    in_thread(read)
    read()


def test_clearing_errors_of_one_thread_keeps_those_of_another():
    v = tf.Variable([1.0, 2.0, 3.0])
    for _ in range(3):
        rows_of(v, 1.0).numpy()
    bad = rows_of(v, 9.0)
    tf.sync()
    in_thread(tf.experimental.async_clear_error)
    in_thread(lambda: refuses(bad.numpy))
    refuses(bad.numpy)
