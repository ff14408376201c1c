"""What a tape watches, how often it answers, and how to make it forget.

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

# A trainable variable is watched when it is read. A constant is not, unless it is asked for.
with tf.GradientTape() as tape:
    area = rate * size**2
show("constant, not watched", tape.gradient(area, size))

with tf.GradientTape() as tape:
    tape.watch(size)
    area = rate * size**2
by_rate, by_size = tape.gradient(area, [rate, size])
show("variable", by_rate)
show("constant, watched", by_size)

# Watching begins where it is asked for: what was computed before is not followed.
with tf.GradientTape() as tape:
    early = size**2
    tape.watch(size)
    total = early + 10.0 * size
show("constant, watched after its first use", tape.gradient(total, size))

# Variables can be left to the program, too.
with tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch(rate)
    other = tf.Variable(5.0)
    product = rate * other
show("the one variable that is watched", tape.gradient(product, {"rate": rate, "other": other})["rate"])

# ---------------------------------------------------------------------------------------------------------------------
print("Asking once, asking often")

# A tape answers one question and lets go of what it recorded.
with tf.GradientTape() as tape:
    cube = rate**3
show("first question", tape.gradient(cube, rate))
try:
    tape.gradient(cube, rate)
except RuntimeError as error:
    print(f"second question: {error}")

# A persistent one answers as often as it is asked, about anything on the way, and holds all of it until it is deleted.
with tf.GradientTape(persistent=True) as tape:
    square = rate * rate
    fourth = square * square
show("d fourth / d rate", tape.gradient(fourth, rate))
show("d square / d rate", tape.gradient(square, rate))
show("d fourth / d square", tape.gradient(fourth, square))
del tape

# ---------------------------------------------------------------------------------------------------------------------
print("Leaving out, starting over")

# What is computed while the tape has stopped is a constant to it.
with tf.GradientTape() as tape:
    with tape.stop_recording():
        scale = rate * rate * rate
    product = scale * rate
show("d product / d rate, scale a constant", tape.gradient(product, rate))

# reset() is a tape that begins anew: what was recorded and what was watched is forgotten.
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
