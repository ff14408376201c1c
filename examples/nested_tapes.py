"""Higher derivatives: nested tapes, parallel tapes, and a tape inside a forward accumulator.

python examples/nested_tapes.py              with TensorFlow
python -m tfcompat examples/nested_tapes.py  with tfcompat, on JAX
"""

import tensorflow as tf

# ---------------------------------------------------------------------------------------------------------------------
print("A mixed derivative: the inner gradient is computed where the outer tape sees it")

x, y = tf.constant(3.0), tf.constant(2.0)
with tf.GradientTape() as outer:
    outer.watch(y)
    with tf.GradientTape() as inner:
        inner.watch(x)
        z = x * y * y
    dz_dx = inner.gradient(z, x)
d2z_dxdy = outer.gradient(dz_dx, y)
print("dz/dx", dz_dx.numpy(), " d2z/dxdy", d2z_dxdy.numpy())

# Outside the outer tape's context, the computation of the gradient is not recorded.
with tf.GradientTape() as outer:
    outer.watch(y)
    with tf.GradientTape() as inner:
        inner.watch(x)
        z = x * y * y
dz_dx = inner.gradient(z, x)
print("too late:", outer.gradient(dz_dx, y))

# ---------------------------------------------------------------------------------------------------------------------
print("To any order")


def derivative(function, order):
    """The `order`-th derivative of a function of one number."""
    if order == 0:
        return function

    def derived(at):
        with tf.GradientTape() as tape:
            tape.watch(at)
            value = derivative(function, order - 1)(at)
        return tape.gradient(value, at)

    return derived


at = tf.constant(1.5)
for order in range(6):
    print("order", order, derivative(lambda t: t**5, order)(at).numpy())

# ---------------------------------------------------------------------------------------------------------------------
print("Two tapes side by side, each watching its own")

with tf.GradientTape() as for_x, tf.GradientTape() as for_y:
    for_x.watch(x)
    for_y.watch(y)
    f = x * x + y
    g = x + y + y * y
print("df/dx", for_x.gradient(f, x).numpy(), " dg/dy", for_y.gradient(g, y).numpy())

# ---------------------------------------------------------------------------------------------------------------------
print("A Hessian, and the same Hessian times a vector without ever building it")

point = tf.Variable([1.0, 2.0, 3.0])
direction = tf.constant([1.0, 0.0, -1.0])


def height(p):
    return tf.reduce_prod(p) ** 2


with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        h = height(point)
    slope = inner.gradient(h, point)
hessian = outer.jacobian(slope, point)
print(hessian.numpy())
print("hessian @ direction     ", tf.linalg.matvec(hessian, direction).numpy())

# Backward over backward: the gradient of (slope . direction).
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        h = height(point)
    along = tf.reduce_sum(inner.gradient(h, point) * direction)
print("backward over backward  ", outer.gradient(along, point).numpy())

# Forward over backward: the slope's change along the direction.
with tf.autodiff.ForwardAccumulator(point, direction) as accumulator:
    with tf.GradientTape() as tape:
        h = height(point)
    slope = tape.gradient(h, point)
print("forward over backward   ", accumulator.jvp(slope).numpy())

# ---------------------------------------------------------------------------------------------------------------------
print("A gradient follows Python's control flow: the recorded steps are those that ran")


def some_product(value, rounds):
    result = tf.constant(1.0)
    for i in range(rounds):
        if 1 < i < 5:
            result = result * value
    return result


for rounds in (3, 4, 5, 6):
    with tf.GradientTape() as tape:
        tape.watch(at)
        result = some_product(at, rounds)
    print("rounds", rounds, "gradient", tape.gradient(result, at).numpy())
