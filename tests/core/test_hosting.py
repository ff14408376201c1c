"""Work that runs once is evaluated on the host; what comes often or is large is compiled."""

from __future__ import annotations

import contextlib
import pathlib
import resource

import jax
import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.programs import hosted_op, hosting, segment
from tfcompat._core.system.config import settings


def array(*shape):
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def test_small_expression_that_runs_once_compiles_nothing():
    with tf.counted() as counts:
        found = tf.nn.softmax(tf.matmul(tf.constant(array(5, 3)), array(3, 7))).numpy()
    assert (counts.compiles, counts.op_compiles, counts.op_by_op) == (0, 0, 1)
    assert counts.host_ops >= 2
    product = array(5, 3) @ array(3, 7)
    np.testing.assert_allclose(found, np.exp(product) / np.exp(product).sum(1, keepdims=True), rtol=1e-5)


def test_expression_that_comes_back_is_compiled_at_its_second_run():
    compiles = []
    for _ in range(3):
        with tf.counted() as counts:
            tf.reduce_sum(tf.sin(tf.ones([5, 11]))).numpy()
        compiles.append(counts.compiles)
    assert compiles == [0, 1, 0]


def unrolled(steps):
    x = tf.constant(array(6, 3))
    for k in range(steps):
        x = x * 0.9 + float(k % 7)
    return x.numpy()


def test_long_chain_that_comes_back_is_compiled_when_the_host_has_taken_as_long(monkeypatch):
    with tf.counted() as counts:
        found = [unrolled(150 - k % 2) for k in range(8)]
    assert (counts.compiles, counts.op_by_op) == (0, 8)
    wanted = array(6, 3).astype(np.float64)
    for k in range(150):
        wanted = wanted * 0.9 + k % 7
    np.testing.assert_allclose(found[6], wanted, rtol=1e-5)
    monkeypatch.setattr(hosting, "_STEP_OF_PROGRAM", 0.0)
    monkeypatch.setattr(hosting, "_PROGRAM", 1e3)
    with tf.counted() as counts:
        np.testing.assert_allclose(unrolled(150), wanted, rtol=1e-5)
    assert counts.compiles == 1


def test_chain_that_returns_after_others_at_its_line_runs_on_the_host():
    with tf.counted() as counts:
        for steps in (31, 41, 31, 51, 41, 31, 51):
            unrolled(steps)
    assert (counts.compiles, counts.op_by_op) == (0, 7)
    with tf.counted() as counts:
        for _ in range(9):
            unrolled(61)
    # It has to run in a row as often as there are structures.
    assert (counts.compiles, counts.op_by_op) == (1, 3)


def test_long_chain_that_runs_several_times_in_a_row_is_compiled():
    with tf.counted() as counts:
        found = [unrolled(150) for _ in range(8)]
    assert counts.compiles == 1
    assert counts.op_by_op <= 4
    np.testing.assert_allclose(found[7], found[0], rtol=1e-5)


def test_large_expression_is_compiled_at_its_first_run():
    with tf.counted() as counts:
        tf.reduce_sum(tf.matmul(tf.ones([1601, 1607]), tf.ones([1607, 1601]))).numpy()
    assert (counts.compiles, counts.host_ops) == (1, 0)


def test_op_is_compiled_once_it_has_used_its_share_of_the_host(monkeypatch):
    monkeypatch.setattr(hosting, "_COMPILATION", 1e6)
    x = tf.constant(array(1021, 3))
    hosted, compiled = 0, 0
    with tf.config.immediate():
        for _ in range(200):
            with tf.counted() as counts:
                value = tf.sinh(x)
            hosted += counts.host_ops
            compiled += counts.op_compiles
    assert compiled == 1
    assert 1 <= hosted < 199
    np.testing.assert_allclose(value.numpy(), np.sinh(array(1021, 3)), rtol=1e-6)


def test_variables_of_twenty_layers_compile_nothing():
    with tf.counted() as counts:
        for k in range(20):
            kernel = tf.Variable(tf.random.truncated_normal([20 + 7 * k, 27 + 7 * k], stddev=0.05))
            bias = tf.Variable(tf.zeros([27 + 7 * k]))
            assert 0.0 < abs(kernel.numpy()).max() <= 0.1
            assert not bias.numpy().any()
    assert (counts.compiles, counts.op_compiles) == (0, 0)


def model(seed):
    rng = np.random.default_rng(seed)
    shapes = (6, 9), (9,), (9, 4)
    return [tf.Variable(rng.normal(size=shape).astype(np.float32)) for shape in shapes]


def step(weights, rows):
    w, b, u = weights
    with tf.GradientTape() as tape:
        logits = tf.tanh(tf.constant(array(rows, 6)) @ w + b) @ u
        labels = tf.range(rows) % 4
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
    for variable, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
        variable.assign_sub(0.1 * gradient)
    return loss.numpy()


def test_first_step_equals_that_of_a_program(monkeypatch):
    own, compiled = model(0), model(0)
    with tf.counted() as counts:
        loss = step(own, 17)
    assert (counts.compiles, counts.op_compiles) == (0, 0)
    monkeypatch.setattr(settings, "is_hosting", False)
    with tf.counted() as counts:
        expected = step(compiled, 17)
        values = [variable.numpy() for variable in compiled]
    assert (counts.compiles, counts.host_ops) == (1, 0)
    np.testing.assert_allclose(loss, expected, rtol=1e-6)
    for variable, value in zip(own, values, strict=True):
        np.testing.assert_allclose(variable.numpy(), value, atol=1e-6)


def test_step_is_hosted_after_a_function_has_printed_and_called_python(capfd):
    @tf.function
    def squared(x):
        tf.print("value", x)
        return tf.py_function(lambda x: x * x, [x], tf.TensorSpec([], tf.float32))

    assert squared(tf.constant(3.0)).numpy() == 9.0
    assert capfd.readouterr().err == "value 3\n"
    with tf.counted() as counts:
        step(model(0), 23)
    assert (counts.compiles, counts.op_compiles) == (0, 0)


@pytest.mark.usefixtures("without_host")
def test_hosting_can_be_switched_off():
    with tf.counted() as counts:
        tf.reduce_sum(tf.cos(tf.ones([3, 19]))).numpy()
    assert (counts.compiles, counts.host_ops) == (1, 0)


def test_short_loop_runs_on_the_host():
    @tf.function
    def steps_to_one(n):
        steps = 0
        while n != 1:
            n = tf.where(n % 2 == 0, n // 2, 3 * n + 1)
            steps += 1
        return steps

    with tf.counted() as counts:
        assert int(steps_to_one(tf.constant(27))) == 111
    assert (counts.compiles, counts.op_compiles) == (0, 0)


def test_long_loop_is_given_up_and_compiled():
    @tf.function
    def count_down(n):
        total = tf.constant(0.0)
        while n > 0:
            total += 1.0
            n -= 1
        return total

    with tf.counted() as counts:
        assert float(count_down(tf.constant(1_000_000))) == 1e6
    assert (counts.compiles, counts.op_compiles) == (0, 1)


def test_effects_happen_once(capsys):
    calls = []

    def called(x):
        calls.append(float(x))
        return x

    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        x = tf.py_function(called, [v * 2.0], tf.float32)
        x.set_shape([])
        loss = tf.square(x)
    tf.print("printed", loss)
    gradient = tape.gradient(loss, v)
    assert float(loss) == 36.0
    assert float(gradient) == 24.0
    assert calls == [6.0]
    assert capsys.readouterr().err.count("printed 36") == 1


def test_variable_is_assigned_once():
    v = tf.Variable(tf.ones([3, 23]))
    v.assign_add(tf.ones([3, 23]))
    assert (v.numpy() == 2.0).all()


def test_error_of_a_check_names_op_and_line_and_keeps_the_variable():
    table = tf.Variable(array(4, 29))
    before = table.numpy()
    rows = tf.cast(table[:, 0] * 0.0 + 7.0, tf.int32)
    found = tf.gather(table, rows)
    table.assign(found)
    with (
        tf.counted() as counts,
        pytest.raises(tf.errors.InvalidArgumentError, match=r"tf\.gather.*test_hosting\.py:\d+"),
    ):
        found.numpy()
    assert counts.compiles == 0
    assert np.array_equal(table.numpy(), before)


def test_ops_of_many_sizes_are_traced_for_all_sizes_at_once(monkeypatch):
    traced = []
    original = hosted_op.traced
    monkeypatch.setattr(hosted_op, "traced", lambda *args: traced.append(args) or original(*args))
    for n in range(30, 42):
        np.testing.assert_allclose(tf.math.erfc(tf.ones([n, 31])).numpy()[0, 0], 0.157299, rtol=1e-5)
    assert 1 <= len(traced) <= 6  # `ones` and `erfc`, three times each


def test_op_is_traced_again_for_all_sizes_if_more_of_them_vary(monkeypatch):
    traced = []
    original = hosted_op.traced
    monkeypatch.setattr(hosted_op, "traced", lambda *args: traced.append(args) or original(*args))
    for rows, columns in [(n, 27) for n in range(50, 56)] + [(n, n - 20) for n in range(50, 62)]:
        np.testing.assert_allclose(tf.math.erf(tf.ones([rows, columns])).numpy()[0, 0], 0.842701, rtol=1e-5)
    assert 1 <= len(traced) <= 6


def test_op_without_a_kernel_is_compiled_alone(monkeypatch):
    def refuse(*_):
        raise hosted_op.NoKernel("none")

    monkeypatch.setattr(hosted_op, "HostProgram", refuse)
    with tf.counted() as counts:
        found = tf.math.expm1(array(2, 37)).numpy()
    assert (counts.op_compiles, counts.host_ops) == (1, 0)
    np.testing.assert_allclose(found, np.expm1(array(2, 37)), rtol=1e-6)


@contextlib.contextmanager
def limited_memory():
    """A context in which the process may map another GB."""
    used = int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + 2**30, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def test_lack_of_memory_on_the_host_is_tensorflows_error(monkeypatch):
    def refuse(*_args, **_kwargs):
        raise MemoryError("Unable to allocate 8 EiB")

    v = tf.Variable([1.0, 2.0])
    monkeypatch.setattr(hosted_op.HostedOp, "__call__", refuse)
    v.assign(tf.math.erfc(v) + tf.ones([2]))
    with pytest.raises(tf.errors.ResourceExhaustedError, match="8 EiB"):
        v.numpy()
    monkeypatch.undo()
    assert v.numpy().tolist() == [1.0, 2.0]


def test_lack_of_memory_for_a_program_on_the_host_is_tensorflows_error():
    """As programs that search for the largest batch expect it."""
    v, total = tf.Variable(tf.ones([500, 2])), tf.Variable(0.0)

    def step(rows):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.ones([rows, 500]) @ v) ** 2)
        v.assign_sub(0.0 * tape.gradient(loss, v))
        total.assign_add(1.0)
        return float(loss)

    for rows in (3, 5, 4, 7, 6):
        step(rows)
    with limited_memory(), pytest.raises(tf.errors.ResourceExhaustedError):
        step(10_000_000)
    assert (total.numpy(), step(8)) == (5.0, 250_000.0)


def test_lack_of_memory_for_elements_is_tensorflows_error():
    dataset = tf.data.Dataset.from_tensors(1.0).map(lambda x: tf.ones([5_000_000_000]) * x)
    with limited_memory(), pytest.raises(tf.errors.ResourceExhaustedError):
        next(iter(dataset))


@pytest.mark.parametrize("k", [0, 1, -1])
def test_diagonals_of_ever_new_sizes_share_a_trace(k, monkeypatch):
    traced = []
    original = hosted_op.traced
    monkeypatch.setattr(hosted_op, "traced", lambda *args: traced.append(args) or original(*args))
    monkeypatch.setattr(hosted_op, "_kinds", {})
    for n in range(73, 83):  # sizes of no other test
        x = array(n, n)
        np.testing.assert_array_equal(tf.linalg.diag_part(x, k=k).numpy(), np.diagonal(x, k))
    assert 1 <= len(traced) <= 3


def test_derivative_that_runs_on_the_host_is_traced_once(monkeypatch):
    traced, vjp = [], jax.vjp
    monkeypatch.setattr(jax, "vjp", lambda *args, **options: traced.append(args) or vjp(*args, **options))
    x = tf.Variable(array(1, 2, 1, 3, 5, 4))
    with tf.GradientTape() as tape:
        y = tf.matmul(x, x, transpose_a=True)
    got = tape.gradient(y, x).numpy()
    assert len(traced) == 1
    np.testing.assert_allclose(got, 2 * np.broadcast_to(x.numpy().sum(-1, keepdims=True), x.shape), rtol=1e-4)


def test_long_recording_that_runs_once_is_not_searched_for_chains(monkeypatch):
    traced, original = [], segment.traced
    monkeypatch.setattr(segment, "traced", lambda *args: traced.append(args) or original(*args))
    x = array(3, 4)
    rows = tf.constant(x)
    for _ in range(200):
        rows = tf.reverse(tf.roll(rows, 1, axis=0), [1])
    np.testing.assert_array_equal(rows.numpy(), np.roll(x, 200, axis=0))
    assert not traced
