"""Tapes in tapes: mixed and second derivatives, two tapes side by side, a third derivative, a Hessian-vector product."""

# ruff: noqa: E501
import tensorflow as tf

x, y = tf.constant(3.0), tf.constant(2.0)
with tf.GradientTape() as g:
    g.watch(y)
    with tf.GradientTape() as gg:
        gg.watch(x)
        z = x * y * y
    dz_dx = gg.gradient(z, x)
print(dz_dx.numpy(), g.gradient(dz_dx, y).numpy())
with tf.GradientTape() as g:
    g.watch(x)
    with tf.GradientTape() as gg:
        gg.watch(x)
        u = x * x
    du = gg.gradient(u, x)
tf.print(du, g.gradient(du, x))
with tf.GradientTape() as g, tf.GradientTape() as f:
    g.watch(x)
    f.watch(y)
    z = x * x + y
    m = y + y * y + x
print(g.gradient(z, x).numpy(), f.gradient(m, y).numpy())
v = tf.Variable(1.5)
with tf.GradientTape() as t3:
    with tf.GradientTape() as t2:
        with tf.GradientTape() as t1:
            out = v**5
        d1 = t1.gradient(out, v)
    d2 = t2.gradient(d1, v)
d3 = t3.gradient(d2, v)
print(d1.numpy(), d2.numpy(), d3.numpy())
p = tf.constant([1.0, 2.0, 3.0])
s = tf.constant([1.0, 0.0, -1.0])
with tf.autodiff.ForwardAccumulator(p, s) as acc:
    with tf.GradientTape() as t:
        t.watch(p)
        q = tf.reduce_prod(p) ** 2
    grad = t.gradient(q, p)
print(acc.jvp(grad).numpy())


def f(x, n):
    output = 1.0
    for i in range(n):
        if i > 1 and i < 5:
            output = tf.multiply(output, x)
    return output


def grad(x, n):
    with tf.GradientTape() as t:
        t.watch(x)
        out = f(x, n)
    return t.gradient(out, x)


c = tf.convert_to_tensor(2.0)
print(grad(c, 6).numpy(), grad(c, 5).numpy(), grad(c, 4).numpy())
