"""Prints the lines at which JAX traces or compiles while a signal handler could interrupt it."""

import signal
import traceback

import jax

import tfcompat as tf
from tfcompat._jaxpr import postponement

found = set()


def notice(event, *_, **__):
    handler = signal.getsignal(signal.SIGINT)
    if ("trace" in event or "compile" in event) and postponement.__name__ != handler.__module__:
        lines = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_stack()]
        found.add((event, *[line for line in lines if "tfcompat" in line][-3:]))


jax.monitoring.register_event_duration_secs_listener(notice)
weights = tf.Variable(tf.random.normal([8, 8]))


def step(x):
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as tape:
            y = tf.nn.softmax(tf.tanh(x @ weights))
            loss = tf.reduce_sum(y * tf.sort(y, axis=1)) + tf.reduce_sum(tf.gather(y, [0, 1]))
        gradient = tape.gradient(loss, weights)
        norm = tf.norm(gradient)
    second = outer.gradient(norm, weights)
    weights.assign_sub(0.01 * gradient + 0.001 * second)
    return loss


@tf.function(input_signature=[tf.TensorSpec([None, 8])])
def total(x):
    result = tf.zeros([8])
    for row in x:
        if tf.reduce_sum(row) > 0:
            result += tf.cumsum(row)
    return result[: tf.shape(x)[0]] if x.shape[0] is None else result


for rows in (4, 4, 5, 6, 7, 9, 11, 13):
    x = tf.random.normal([rows, 8])
    float(step(x))
    total(x).numpy()
tf.function(step)(tf.ones([3, 8]))
tf.map_fn(tf.linalg.det, tf.random.normal([3, 2, 2])).numpy()
tf.function(step).get_concrete_function(tf.TensorSpec([3, 8])).jaxpr()
list(tf.data.Dataset.range(40).map(lambda n: tf.sqrt(tf.cast(n, tf.float32)) * 2.0).batch(8))
print(sorted(found))
