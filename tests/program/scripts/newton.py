"""Newton's method without a Hessian: products with it from tapes in tapes, conjugate gradients, line search."""

import numpy as np
import tensorflow as tf

a, b = 1.0, 10.0


def rosenbrock(p):
    return tf.reduce_sum((a - p[:-1]) ** 2 + b * (p[1:] - p[:-1] ** 2) ** 2)


def gradient(p):
    with tf.GradientTape() as tape:
        tape.watch(p)
        f = rosenbrock(p)
    return f, tape.gradient(f, p)


def hvp(p, v):
    with tf.GradientTape() as outer:
        outer.watch(p)
        _, g = gradient(p)
        dot = tf.tensordot(g, tf.stop_gradient(v), 1)
    return outer.gradient(dot, p)


def conjugate_gradient(p, g, iterations=10):
    x = tf.zeros_like(g)
    r = d = -g
    for _ in range(iterations):
        rr = tf.reduce_sum(r * r)
        if rr < 1e-10:
            break
        hd = hvp(p, d)
        curvature = tf.reduce_sum(d * hd)
        if curvature <= 0:
            return d if tf.reduce_all(x == 0.0) else x
        alpha = rr / curvature
        x = x + alpha * d
        r = r - alpha * hd
        d = r + tf.reduce_sum(r * r) / rr * d
    return x


p = tf.Variable([-1.2, 1.0, 0.5, -0.5], dtype=tf.float64)
for step in range(25):
    f, g = gradient(p.read_value())
    if tf.norm(g) < 1e-6:
        print("converged after", step)
        break
    direction = conjugate_gradient(p.read_value(), g)
    size, slope = 1.0, tf.reduce_sum(g * direction)
    while rosenbrock(p + size * direction) > f + 1e-4 * size * slope:
        size /= 2
    p.assign_add(size * direction)
    if step % 3 == 0:
        print("%d f %.6f |g| %.4f size %g" % (step, f, tf.norm(g), size))
print(np.round(p.numpy(), 6), p.dtype)
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        f = rosenbrock(p)
    g = inner.gradient(f, p)
H = outer.jacobian(g, p)
print(H.numpy().round(3))
print("symmetric", bool(tf.reduce_all(tf.abs(H - tf.transpose(H)) < 1e-9)))
