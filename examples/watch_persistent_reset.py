"""Watched tensors, persistent tapes, and `reset`.

python examples/watch_persistent_reset.py              with TensorFlow
python -m tfcompat examples/watch_persistent_reset.py  with tfcompat, on JAX
"""

import tensorflow as tf


def show(what, gradient):
    print(f"{what:38} {None if gradient is None else gradient.numpy()}")


# ---------------------------------------------------------------------------------------------------------------------
print("Watching")

rate = tf.Variable(2.0)
size = tf.constant(3.0)

# A trainable variable is watched when it is read. A constant is watched only after `watch`.
with tf.GradientTape() as tape:
    area = rate * size**2
show("constant, not watched", tape.gradient(area, size))

with tf.GradientTape() as tape:
    tape.watch(size)
    area = rate * size**2
by_rate, by_size = tape.gradient(area, [rate, size])
show("variable", by_rate)
show("constant, watched", by_size)

# Watching begins at the call of `watch`: earlier computations are not recorded.
with tf.GradientTape() as tape:
    early = size**2
    tape.watch(size)
    total = early + 10.0 * size
show("constant, watched after its first use", tape.gradient(total, size))

# The program can also choose the variables to watch.
with tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch(rate)
    other = tf.Variable(5.0)
    product = rate * other
show("the one variable that is watched", tape.gradient(product, {"rate": rate, "other": other})["rate"])

# ---------------------------------------------------------------------------------------------------------------------
print("Asking once, asking often")

# A tape computes one gradient and then releases its recording.
with tf.GradientTape() as tape:
    cube = rate**3
show("first question", tape.gradient(cube, rate))
try:
    tape.gradient(cube, rate)
except RuntimeError as error:
    print(f"second question: {error}")

# A persistent tape computes any number of gradients, also of intermediate values. It holds its recording until deleted.
with tf.GradientTape(persistent=True) as tape:
    square = rate * rate
    fourth = square * square
show("d fourth / d rate", tape.gradient(fourth, rate))
show("d square / d rate", tape.gradient(square, rate))
show("d fourth / d square", tape.gradient(fourth, square))
del tape

# ---------------------------------------------------------------------------------------------------------------------
print("Leaving out, starting over")

# Values computed while the tape has stopped recording are constants for it.
with tf.GradientTape() as tape:
    with tape.stop_recording():
        scale = rate * rate * rate
    product = scale * rate
show("d product / d rate, scale a constant", tape.gradient(product, rate))

# reset() clears the tape: it forgets all recorded ops and watched tensors.
with tf.GradientTape() as tape:
    tape.watch(size)
    first = size * size
    tape.reset()
    tape.watch(size)
    second = first + 5.0 * size
show("after a reset", tape.gradient(second, size))

# ---------------------------------------------------------------------------------------------------------------------
print("No path, no gradient")

unused = tf.Variable([1.0, 2.0])
with tf.GradientTape(persistent=True) as tape:
    double = 2.0 * rate
show("unconnected", tape.gradient(double, unused))
show("unconnected, zeros asked for", tape.gradient(double, unused, unconnected_gradients="zero"))
print("watched variables:", [variable is rate for variable in tape.watched_variables()])
