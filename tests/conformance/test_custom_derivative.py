"""Custom derivatives in the body of a loop: JAX applies their rules when the arrays of the body no longer exist."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

import tfcompat as tf
from tests import evaluate
from tests.conformance.table import ROWS, accepted
from tfcompat._core.operation.op import differentiable
from tfcompat._core.tracing.trace import Trace, here
from tfcompat._jaxpr.parameter import inner

# The examples of each name that are recorded, with their gradients.
MOST = 3
# Names with a rule that once closed over an array.
FOUND = (
    "linalg.pinv",
    "nn.sparse_softmax_cross_entropy_with_logits",
    "quantization.quantize_and_dequantize",
)
# JAX or the algorithm has no derivative of that order.
WITHOUT_DERIVATIVE = ("igamma_grad_a", "schur", "Reverse-mode differentiation does not work for lax.while_loop")


def recorded(name):
    """The nodes of the ops that the examples of `name` and their gradients record, and that have a derivative."""
    found = {}
    for each in accepted(name)[:MOST]:
        here.trace = trace = Trace()
        with tf.GradientTape(watch_accessed_variables=False):
            evaluate.attempt(evaluate.pending, tf, evaluate.GRADIENT, each.example, each.example.arrays())
        for node in trace.node.path():
            is_numeric = node.op is not None and all(aval.struct is not None for aval in node.signature)
            if is_numeric and not node.op.gradient.is_blocked:
                found[node.op, node.signature] = node
    here.trace = Trace()
    return found


def each_jaxpr(closed):
    """`closed` and the jaxprs inside of it."""
    yield closed
    for equation in closed.eqns:
        for part in inner(equation):
            yield from each_jaxpr(part)


def has_custom_rule(closed):
    """Whether a custom rule is in the jaxpr `closed` or in one inside of it."""
    return any(e.primitive.name.startswith("custom_") for part in each_jaxpr(closed) for e in part.eqns)


def lost_arrays(closed):
    """The arrays of a trace that has ended to which the jaxpr `closed` refers."""
    consts = [const for part in each_jaxpr(closed) for const in getattr(part, "consts", ())]
    return [const for const in consts if isinstance(const, jax.core.Tracer)]


def loop_gradient(node):
    """A function of the inputs of `node`: its gradient in the body of a loop. None if it has no derivative."""
    op = node.op
    wanted = [i for i, aval in enumerate(node.signature) if differentiable(aval)]
    given = [k for k, aval in enumerate(node.avals) if differentiable(aval)]

    def gradient(*arrays):
        def of_wanted(*values):
            full = list(arrays)
            for position, value in zip(wanted, values, strict=True):
                full[position] = value

            def body(count, _):
                outputs = op.outputs(*[jnp.where(count == 0, array, jnp.zeros_like(array)) for array in full])
                return count, tuple(outputs[k] for k in given)

            return jax.lax.scan(body, 0, None, 2)[1]

        outputs, pull = jax.vjp(of_wanted, *[arrays[i] for i in wanted])
        return pull(jax.tree.map(jnp.ones_like, outputs))

    return gradient if wanted and given else None


def faults(name, tested):
    """The ops of `name` whose gradient in a loop cannot be computed, with the reasons."""
    found = []
    for (op, avals), node in recorded(name).items():
        gradient = None if (op, avals) in tested else loop_gradient(node)
        tested.add((op, avals))
        structs = [aval.struct for aval in avals]
        with jax.enable_x64(True):
            if gradient is None or not has_custom_rule(jax.make_jaxpr(op.outputs)(*structs)):
                continue
            try:
                lost = lost_arrays(jax.make_jaxpr(gradient)(*structs))
            except (NotImplementedError, ValueError) as refusal:
                lost = [] if any(reason in str(refusal) for reason in WITHOUT_DERIVATIVE) else [refusal]
            if lost:
                found.append(f"{op!r}: {lost}")
    return found


@pytest.mark.parametrize("name", FOUND)
def test_gradient_in_a_loop(name):
    assert not faults(name, set())


@pytest.mark.thorough
def test_gradients_in_loops():
    tested = set()
    wrong = [fault for name in sorted(ROWS) for fault in faults(name, tested)]
    assert not wrong, "\n".join(wrong)
    assert len(tested) > 1000


def test_loop_with_labels_of_each_step():
    """The decoder of a translation model."""
    weights = tf.Variable(tf.reshape(tf.range(6.0), [2, 3]) / 6)

    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32)])
    def gradient(labels):
        with tf.GradientTape() as tape:
            loss = 0.0
            state = tf.ones([tf.shape(labels)[0], 2])
            for k in tf.range(tf.shape(labels)[1]):
                logits = state @ weights
                loss += tf.reduce_sum(tf.nn.sparse_softmax_cross_entropy_with_logits(labels[:, k], logits))
                state = tf.tanh(state)
        return tape.gradient(loss, weights)

    for length in (3, 4):
        expected = tf.zeros([2, 3])
        state = tf.ones([2, 2])
        for _ in range(length):
            error = tf.nn.softmax(state @ weights) - tf.one_hot([1, 1], 3)
            expected += tf.matmul(state, error, transpose_a=True)
            state = tf.tanh(state)
        assert abs(gradient(tf.ones([2, length], tf.int32)) - expected).numpy().max() < 1e-5
