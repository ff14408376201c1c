"""Loops and branches, by the sizes of their inputs: each returns a loss and its gradients, or other tensors."""

# ruff: noqa: ARG005 - a function of a loop or of rows takes them all, whether it needs them or not

from __future__ import annotations

import numpy as np

import tfcompat as tf

RNG = np.random.default_rng(0)


def floats(*shape):
    return tf.constant(RNG.normal(0, 1, shape).astype(np.float32))


def variable(*shape):
    return tf.Variable(RNG.normal(0, 0.3, shape).astype(np.float32))


W, U, B, P, C = VARIABLES = variable(8, 16), variable(4, 16), variable(16), variable(4, 4), tf.Variable(1.5)
for each in VARIABLES:
    each.numpy()


def traced(loss, *xs):
    """The value and the gradients of `loss`, traced as a function."""
    traced_loss = tf.function(loss, autograph=False)
    with tf.GradientTape() as tape:
        value = traced_loss(*xs)
    return [value, *[gradient for gradient in tape.gradient(value, VARIABLES) if gradient is not None]]


def cell(row, h, c):
    i, f, o, g = tf.split(row @ W + h @ U + B, 4, axis=1)
    c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
    return tf.sigmoid(o) * tf.tanh(c), c


def lstm_while(n):
    def loss(x):
        def body(t, h, c):
            return (t + 1, *cell(x[:, t], h, c))

        z = tf.zeros([3, 4])
        return tf.reduce_mean(tf.while_loop(lambda t, *_: t < tf.shape(x)[1], body, (0, z, z))[1] ** 2)

    return traced(loss, floats(3, n, 8))


def lstm_reversed(n):
    def loss(x):
        def body(t, h, c):
            return (t - 1, *cell(x[:, t], h, c))

        z = tf.zeros([3, 4])
        return tf.reduce_mean(tf.while_loop(lambda t, *_: t >= 0, body, (tf.shape(x)[1] - 1, z, z))[1] ** 2)

    return traced(loss, floats(3, n, 8))


def lstm_scan(n):
    def loss(x):
        z = tf.zeros([3, 4])
        h, _ = tf.scan(lambda s, r: cell(r, *s), tf.transpose(x, [1, 0, 2]), (z, z))
        return tf.reduce_mean(h**2)

    return traced(loss, floats(3, n, 8))


def scan_without_start(n):
    def loss(x):
        return tf.reduce_sum(
            tf.scan(lambda a, r: tf.tanh(a @ P + r), x) * tf.scan(lambda a, r: tf.tanh(a @ P + r), x, reverse=True)
        )

    return traced(loss, floats(n, 3, 4))


def folds(n):
    def loss(x):
        return tf.reduce_sum(tf.foldl(lambda a, r: tf.tanh(a @ P + r), x)) + tf.reduce_sum(
            tf.foldr(lambda a, r: tf.tanh(a @ P * r), x, tf.ones([3, 4]))
        )

    return traced(loss, floats(n, 3, 4))


def mapped(n):
    def loss(x):
        return tf.reduce_sum(tf.map_fn(lambda r: tf.tanh(r @ P) * C, x) ** 2)

    return traced(loss, floats(n, 3, 4))


def mapped_pairs(n):
    def loss(x):
        y, k = tf.map_fn(
            lambda r: (tf.tanh(r[0] @ P) * C, r[1] + 1),
            (x, tf.range(tf.shape(x)[0])),
            fn_output_signature=(tf.float32, tf.int32),
        )
        return tf.reduce_sum(y**2 * tf.cast(k, tf.float32)[:, None, None])

    return traced(loss, floats(n, 3, 4))


def open_state(n):
    def loss(x):
        return tf.reduce_sum(tf.while_loop(lambda i, y: i < 5, lambda i, y: (i + 1, tf.tanh(y @ P) + x), (0, x))[1])

    return traced(loss, floats(n, 4))


def quadratic(n):
    def loss(x):
        return tf.reduce_sum(tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf.tanh(y @ P) + x[i]), (0, x))[1])

    return traced(loss, floats(n, 4))


def array_written(n):
    def loss(x):
        ta = tf.TensorArray(tf.float32, n)

        def body(i, ta, h):
            h = tf.tanh(h @ P + x[i])
            return i + 1, ta.write(i, h), h

        _, ta, h = tf.while_loop(lambda i, *_: i < n, body, (0, ta, tf.zeros([3, 4])))
        return tf.reduce_sum(ta.stack() ** 2) + tf.reduce_sum(h)

    return traced(loss, floats(n, 3, 4))


def array_partly(n):
    def loss(x):
        ta = tf.TensorArray(tf.float32, n + 3, element_shape=(3, 4))

        def body(i, ta, h):
            h = tf.tanh(h @ P + x[i])
            return i + 1, ta.write(i + 2, h), h

        _, ta, h = tf.while_loop(lambda i, *_: i < n, body, (0, ta, tf.zeros([3, 4])))
        return tf.reduce_sum(ta.stack()[1:] ** 2) + tf.reduce_sum(h)

    return traced(loss, floats(n, 3, 4))


def array_dynamic(n):
    def loss(x):
        ta = tf.TensorArray(tf.float32, 0, dynamic_size=True)

        def body(i, ta, h):
            h = tf.tanh(h @ P + x[i])
            return i + 1, ta.write(i, h), h

        _, ta, h = tf.while_loop(lambda i, *_: i < n, body, (0, ta, tf.zeros([3, 4])))
        return tf.reduce_sum(ta.stack() ** 2) + tf.reduce_sum(h)

    return traced(loss, floats(n, 3, 4))


def array_read(n):
    def loss(x):
        ta = tf.TensorArray(tf.float32, n).unstack(x)

        def body(i, h):
            return i + 1, tf.tanh(h @ P + ta.read(i) * ta.read(n - 1 - i))

        return tf.reduce_sum(tf.while_loop(lambda i, *_: i < n, body, (0, tf.zeros([3, 4])))[1])

    return traced(loss, floats(n, 3, 4))


def strided(n):
    def loss(x):
        def body(i, h):
            return i + 2, tf.tanh(h @ P + x[i] + x[i + 1])

        return tf.reduce_sum(tf.while_loop(lambda i, *_: i < 2 * n, body, (0, tf.zeros([3, 4])))[1])

    return traced(loss, floats(2 * n, 3, 4))


def windowed(n):
    def loss(x):
        def body(i, h):
            return i + 1, tf.tanh(h @ P + tf.reduce_sum(x[2 * i : 2 * i + 2], 0))

        return tf.reduce_sum(tf.while_loop(lambda i, *_: i < n, body, (0, tf.zeros([3, 4])))[1])

    return traced(loss, floats(2 * n, 3, 4))


def alternating(n):
    def loss(x):
        def body(i, h):
            return i + 1, tf.tanh(h @ P + x[i]) * tf.cast(i % 2 + 1, tf.float32)

        return tf.reduce_sum(tf.while_loop(lambda i, *_: i < n, body, (0, tf.zeros([3, 4])))[1])

    return traced(loss, floats(n, 3, 4))


def cond_inside(n):
    def loss(x):
        def body(i, h):
            return i + 1, tf.cond(tf.reduce_sum(h) > 0.5, lambda: tf.tanh(h @ P + x[i]), lambda: h * C + x[i])

        return tf.reduce_sum(tf.while_loop(lambda i, *_: i < n, body, (0, tf.zeros([3, 4])))[1])

    return traced(loss, floats(n, 3, 4))


def cond_on_count(n):
    def loss(x):
        def body(i, h):
            return i + 1, tf.cond(i % 3 == 0, lambda: tf.tanh(h @ P + x[i]), lambda: h * C + x[i])

        return tf.reduce_sum(tf.while_loop(lambda i, *_: i < n, body, (0, tf.zeros([3, 4])))[1])

    return traced(loss, floats(n, 3, 4))


def cond_open(n):
    def loss(x):
        y = tf.cond(tf.reduce_sum(x) > 0.0, lambda: tf.tanh(x @ P), lambda: tf.sin(x) * C + tf.zeros([n, 4]))
        return tf.reduce_sum(y**2)

    return traced(loss, floats(n, 4))


def switch(n):
    def loss(x, k):
        y = tf.switch_case(k, [lambda: tf.tanh(x @ P), lambda: tf.sin(x) * C, lambda: x])
        return tf.reduce_sum(y**2)

    return traced(loss, floats(n, 4), tf.constant(n % 3))


def nested(n):
    def loss(x):
        def body(i, h):
            def inner(j, g):
                return j + 1, tf.tanh(g @ P) + x[j] * 0.1

            return i + 1, tf.while_loop(lambda j, _: j < 3, inner, (0, h))[1] + x[i]

        return tf.reduce_sum(tf.while_loop(lambda i, *_: i < n, body, (0, tf.zeros([3, 4])))[1])

    return traced(loss, floats(n, 3, 4))


def nested_open(n):
    def loss(x):
        def body(i, h):
            def inner(j, g):
                return j + 1, tf.tanh(g @ P) + x[j] * 0.1

            return i + 1, tf.while_loop(lambda j, _: j < n, inner, (0, h))[1] + x[i]

        return tf.reduce_sum(tf.while_loop(lambda i, *_: i < n, body, (0, tf.zeros([3, 4])))[1])

    return traced(loss, floats(n, 3, 4))


def nested_scan_map(n):
    def loss(x):
        return tf.reduce_sum(tf.map_fn(lambda rows: tf.foldl(lambda a, r: tf.tanh(a * C + r), rows), x))

    return traced(loss, floats(n, n + 2, 4))


def triangular(n):
    def loss(x):
        def body(i, h):
            def inner(j, g):
                return j + 1, tf.tanh(g @ P) + x[j] * 0.1

            return i + 1, tf.while_loop(lambda j, _: j < i, inner, (0, h))[1] + x[i]

        return tf.reduce_sum(tf.while_loop(lambda i, *_: i < n, body, (0, tf.zeros([3, 4])))[1])

    return traced(loss, floats(n, 3, 4))


def until_rows(n):
    def loss(x, k):
        def body(i, y):
            return i + 1, tf.tanh(y @ P + x[i])

        return tf.reduce_sum(tf.while_loop(lambda i, y: i < k, body, (0, tf.zeros([3, 4])))[1])

    return traced(loss, floats(n, 3, 4), tf.constant(n - 1))


def at_most(n):
    def loss(x):
        def body(i, y):
            return i + 1, tf.tanh(y @ P + x[i])

        return tf.reduce_sum(
            tf.while_loop(lambda i, y: tf.reduce_sum(y) < 1e3, body, (0, tf.zeros([3, 4])), maximum_iterations=n)[1]
        )

    return traced(loss, floats(n, 3, 4))


def drawn(n):
    def loss(x):
        def body(i, y):
            return i + 1, tf.tanh(y @ P + x[i]) + tf.random.stateless_normal([3, 4], tf.stack([i, 7]))

        return tf.reduce_sum(tf.while_loop(lambda i, y: i < n, body, (0, tf.zeros([3, 4])))[1])

    return traced(loss, floats(n, 3, 4))


def drawn_open(n):
    def loss(x):
        def body(i, y):
            return i + 1, tf.tanh(y @ P + x) + tf.random.stateless_normal([n, 4], tf.stack([i, 7]))

        return tf.reduce_sum(tf.while_loop(lambda i, y: i < 4, body, (0, x))[1])

    return traced(loss, floats(n, 4))


def checked(n):
    def loss(x, k):
        def body(i, y):
            tf.debugging.assert_less(tf.reduce_max(y), 100.0)
            return i + 1, tf.tanh(y @ P + tf.gather(x, (i + k) % n))

        return tf.reduce_sum(tf.while_loop(lambda i, y: i < n, body, (0, tf.zeros([3, 4])))[1])

    return traced(loss, floats(n, 3, 4), tf.constant(1))


def second(n):
    f = tf.function(
        lambda x: tf.reduce_sum(tf.scan(lambda a, r: tf.tanh(a @ P + r), x, tf.ones([3, 4])) ** 2), autograph=False
    )
    x = floats(n, 3, 4)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            value = f(x)
        penalty = tf.reduce_sum(inner.gradient(value, P) ** 2)
    return [penalty, outer.gradient(penalty, P)]


def second_while(n):
    def g(x, k):
        return tf.reduce_sum(
            tf.while_loop(lambda i, y: i < k, lambda i, y: (i + 1, tf.tanh(y @ P + x[i])), (0, tf.ones([3, 4])))[1]
        )

    f = tf.function(g, autograph=False)
    x = floats(n, 3, 4)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            value = f(x, tf.constant(n - 1))
        penalty = tf.reduce_sum(inner.gradient(value, P) ** 2)
    return [penalty, outer.gradient(penalty, P)]


def tape_inside(n):
    def loss(x):
        def body(i, y):
            with tf.GradientTape() as tape:
                tape.watch(y)
                e = tf.reduce_sum(tf.tanh(y @ P) * x[i])
            return i + 1, y - 0.1 * tape.gradient(e, y)

        return tf.reduce_sum(tf.while_loop(lambda i, y: i < n, body, (0, tf.ones([3, 4])))[1] ** 2)

    return traced(loss, floats(n, 3, 4))


@tf.custom_gradient
def clipped(x):
    return tf.identity(x), lambda g: tf.clip_by_value(g, -0.1, 0.1) * tf.reduce_mean(x)


def custom(n):
    def loss(x):
        return tf.reduce_sum(
            tf.while_loop(
                lambda i, y: i < n, lambda i, y: (i + 1, clipped(tf.tanh(y @ P + x[i]))), (0, tf.ones([3, 4]))
            )[1]
            ** 2
        )

    return traced(loss, floats(n, 3, 4))


def custom_open(n):
    def loss(x):
        return tf.reduce_sum(
            tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, clipped(tf.tanh(y @ P + x))), (0, x))[1] ** 2
        )

    return traced(loss, floats(n, 4))


def stopped(n):
    def loss(x):
        return tf.reduce_sum(
            tf.while_loop(
                lambda i, y: i < n,
                lambda i, y: (i + 1, tf.tanh(y @ P + tf.stop_gradient(y) * x[i])),
                (0, tf.ones([3, 4])),
            )[1]
            ** 2
        )

    return traced(loss, floats(n, 3, 4))


def assigned(n):
    def loss(x):
        def body(i, y):
            C.assign_add(0.1)
            return i + 1, tf.tanh(y @ P * C + x[i])

        return tf.reduce_sum(tf.while_loop(lambda i, y: i < n, body, (0, tf.ones([3, 4])))[1] ** 2)

    return traced(loss, floats(n, 3, 4))


def vectorized(n):
    def loss(x):
        return tf.reduce_sum(tf.vectorized_map(lambda r: tf.tanh(r @ P) * 3.0 + tf.reduce_sum(r), x) ** 2)

    return traced(loss, floats(n, 3, 4))


def vectorized_one(n):
    def loss(x):
        return tf.reduce_sum(tf.vectorized_map(lambda p: tf.tanh(p[0] @ P) * p[1], (x, x[:1])) ** 2)

    return traced(loss, floats(n, 3, 4))


def jvp(n):
    x = floats(n, 3, 4)

    def g(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones([n, 3, 4])) as acc:
            y = tf.scan(lambda a, r: tf.tanh(a @ P + r), x, tf.ones([3, 4]))
            z = tf.while_loop(
                lambda i, _: i < tf.cast(x[0, 0, 0] * 0.0, tf.int32) + 4,
                lambda i, y: (i + 1, tf.tanh(y @ P) + x),
                (0, x),
            )[1]
        return tf.reduce_sum(acc.jvp(y) ** 2) + tf.reduce_sum(tf.stop_gradient(acc.jvp(z)) ** 2)

    return traced(g, x)


def cast_length(n):
    def loss(x):
        return tf.reduce_sum(
            tf.while_loop(
                lambda i, y: i < n,
                lambda i, y: (i + 1, tf.tanh(y @ P + x[i] / tf.cast(tf.shape(x)[0], tf.float32))),
                (0, tf.ones([3, 4])),
            )[1]
            ** 2
        )

    return traced(loss, floats(n, 3, 4))


def cross(n):
    def loss(x):
        def body(i, h):
            s = tf.nn.softmax(tf.einsum("nbd,bd->bn", x, h @ P))
            return i + 1, tf.tanh(tf.einsum("bn,nbd->bd", s, x) + h)

        return tf.reduce_sum(tf.while_loop(lambda i, y: i < n, body, (0, tf.ones([3, 4])))[1] ** 2)

    return traced(loss, floats(n, 3, 4))


def masked(n):
    def loss(x, lengths):
        def body(t, h):
            new = tf.tanh(h @ P + x[:, t])
            return t + 1, tf.where((t < lengths)[:, None], new, h)

        return tf.reduce_sum(tf.while_loop(lambda t, h: t < tf.shape(x)[1], body, (0, tf.zeros([3, 4])))[1] ** 2)

    return traced(loss, floats(3, n, 4), tf.constant([2, n // 2, n]))


CASES = [
    *(
        lstm_while,
        lstm_reversed,
        lstm_scan,
        scan_without_start,
        folds,
        mapped,
        mapped_pairs,
        open_state,
        quadratic,
        array_written,
        array_partly,
        array_dynamic,
        array_read,
        strided,
        windowed,
        alternating,
        cond_inside,
        cond_on_count,
        cond_open,
        switch,
        nested,
        nested_open,
        nested_scan_map,
        triangular,
        until_rows,
        at_most,
        drawn,
        drawn_open,
        checked,
        second,
        second_while,
        tape_inside,
        custom,
        custom_open,
        stopped,
        assigned,
        vectorized,
        vectorized_one,
        jvp,
        cast_length,
        cross,
        masked,
    ),
]
