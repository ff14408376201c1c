"""Loops of known length in the ways that people write them, with what TensorFlow 2.21 gives for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import tfcompat as tf

ROWS, COLUMNS = 4, 3
X = np.sin(np.arange(ROWS * COLUMNS) + 1.0).reshape(ROWS, COLUMNS)
W = np.float64(0.7)
# Gradients for the rows are compared by their sum with these weights.
WEIGHTS = np.cos(np.arange(ROWS * COLUMNS) * 0.3).reshape(ROWS, COLUMNS)


class Form(NamedTuple):
    """A loop over rows `x` with a factor `w`.

    Attributes:
      gives: the sum of the answer, its gradients for `x` and `w`, and the gradients of the sum of their squares.
      stays: what of it has to be done in the turns: "reads", "state".
    """

    function: Callable[[Any, Any], Any]
    gives: list[float]
    stays: tuple[str, ...]


FORMS: list[Form] = []


def form(*gives: float, stays: tuple[str, ...] = ()) -> Callable[..., Any]:
    """Declares a form."""

    def declare(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        FORMS.append(Form(function, list(gives), stays))
        return function

    return declare


def orders(function: Callable[[Any, Any], Any], x: Any, w: Any) -> list[Any]:
    """`Form.gives` of a function."""
    with tf.GradientTape() as outer:
        outer.watch([x, w])
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            y = tf.reduce_sum(function(x, w))
        first = [tf.convert_to_tensor(g) for g in tape.gradient(y, [x, w])]
        total = tf.add_n([tf.reduce_sum(g * g) for g in first])
    second = [tf.convert_to_tensor(g) for g in outer.gradient(total, [x, w])]
    return [y, *[tf.reduce_sum(g * WEIGHTS) if g.shape.rank else g for g in (*first, *second)]]


@form(-1.085574482, -2.444345026, 1.138782714, -1.942130789, 10.994729374)
def row(x, w):
    h = tf.zeros([COLUMNS], x.dtype)
    for i in tf.range(ROWS):
        h = tf.tanh(x[i] + h * w)
    return h


@form(-0.118532279, -0.055614893, 0.176482082, -0.812462887, -2.460266244)
def column(x, w):
    h = tf.zeros([ROWS], x.dtype)
    for i in tf.range(tf.shape(x)[1]):
        h = tf.tanh(x[:, i] + h * w)
    return h


@form(-1.085574482, -2.444345026, 1.138782714, -1.942130789, 10.994729374)
def gathered(x, w):
    h = tf.zeros([COLUMNS], x.dtype)
    for i in tf.range(ROWS):
        h = tf.tanh(tf.gather(x, i) + h * w)
    return h


@form(-0.118532279, -0.055614893, 0.176482082, -0.812462887, -2.460266244)
def gathered_column(x, w):
    h = tf.zeros([ROWS], x.dtype)
    for i in tf.range(COLUMNS):
        h = tf.tanh(tf.gather(x, i, axis=1) + h * w)
    return h


@form(-1.085574482, -2.444345026, 1.138782714, -1.942130789, 10.994729374)
def item(x, w):
    h = tf.zeros([COLUMNS], x.dtype)
    for part in x:
        h = tf.tanh(part + h * w)
    return h


@form(0.904131202, 1.866293062, -1.265297414, 1.623941647, 12.867084819)
def falling(x, w):
    h = tf.zeros([COLUMNS], x.dtype)
    for i in tf.range(ROWS - 1, -1, -1):
        h = tf.tanh(x[i] + h * w)
    return h


@form(1.763617941, 1.867557132, -0.090895867, -1.731415407, 1.32706062)
def from_the_end(x, w):
    h = tf.zeros([COLUMNS], x.dtype)
    for i in tf.range(ROWS):
        h = tf.tanh(x[-1 - i] + h * w * x[i])
    return h


@form(1.628663619, 0.655171429, 0.386284633, 0.192245553, -0.180404832)
def neighbours(x, w):
    h = tf.zeros([COLUMNS], x.dtype)
    for i in tf.range(1, ROWS - 1):
        h = tf.tanh(x[i - 1] * x[i + 1] + h * w * x[i])
    return h


@form(2.187787584, -0.118470439, 0.472998526, 0.917242905, -0.171817671)
def every_other(x, w):
    h = tf.zeros([COLUMNS], x.dtype)
    for i in tf.range(0, ROWS, 2):
        h = tf.tanh(x[i] + h * w)
    return h


@form(0.006826806, -0.057667594, 0.022991298, -0.414049305, -0.384985349)
def squares(x, w):
    h = tf.zeros([ROWS], x.dtype)
    x = tf.transpose(tf.concat([x, x * w], 0))
    for i in tf.range(2):
        h = tf.tanh(x[i * i, :ROWS] + h * w)
    return h


@form(-1.085574482, -2.444345026, 1.138782714, -1.942130789, 10.994729374)
def width_one(x, w):
    h = tf.zeros([COLUMNS], x.dtype)
    for i in tf.range(ROWS):
        h = tf.tanh(tf.reshape(x[i : i + 1], [COLUMNS]) + h * w)
    return h


@form(-1.781311172, -0.630059687, -0.503576842, -0.096223937, -0.700139618)
def chunks(x, w):
    h = tf.zeros([COLUMNS], x.dtype)
    for i in tf.range(2):
        h = tf.tanh(tf.reduce_prod(x[2 * i : 2 * i + 2], 0) + h * w)
    return h


@form(-0.851804139, -1.812716876, 0.631309621, -3.121190347, 5.30291035)
def sliced(x, w):
    h = tf.zeros([1, 2], x.dtype)
    for i in tf.range(ROWS):
        h = tf.tanh(tf.slice(x, [i, 1], [1, 2]) + h * w)
    return h


@form(-0.851804139, -1.812716876, 0.631309621, -3.121190347, 5.30291035)
def inside_of_a_row(x, w):
    h = tf.zeros([2], x.dtype)
    for i in tf.range(ROWS):
        h = tf.tanh(x[i, 1:] + h * w)
    return h


@form(-0.896129833, -0.767926322, -0.219349523, -1.827827669, -0.690344142)
def nested(x, w):
    h = tf.zeros([], x.dtype)
    for i in tf.range(ROWS):
        for j in tf.range(COLUMNS):
            h = tf.sin(h * w + x[i, j])
    return h


@form(0.787686144, 0.989880785, 0.8221184, -5.375479768, -4.08660572)
def row_of_the_outer_loop(x, w):
    h = tf.zeros([], x.dtype)
    for i in tf.range(ROWS):
        for j in tf.range(COLUMNS):
            h = tf.sin(h * w + x[i][j] * x[i, 0])
    return h


@form(-0.78902437, -1.017465745, 0.962208655, -0.643759079, 5.546884262)
def place_that_stays(x, w):
    h = tf.zeros([COLUMNS], x.dtype)
    k = tf.cast(w * 3.0, tf.int32)
    for i in tf.range(ROWS):
        h = tf.tanh(x[k] * x[i] + h * w)
    return h


@form(-0.063804682, -0.074050771, -0.040454854, -0.456080997, -0.204118853)
def computed_inside(x, w):
    h = tf.zeros([ROWS], x.dtype)
    for i in tf.range(COLUMNS):
        h = tf.tanh(tf.transpose(x * w)[i] + h)
    return h


@form(-1.085574482, -2.444345026, 1.138782714, -1.942130789, 10.994729374)
def array_read(x, w):
    rows = tf.TensorArray(x.dtype, ROWS, clear_after_read=False).unstack(x)
    h = tf.zeros([COLUMNS], x.dtype)
    for i in tf.range(ROWS):
        h = tf.tanh(rows.read(i) + h * w)
    return h


@form(3.736222112, 2.874278039, -1.84652326, 6.985885371, -4.667279289)
def array_written(x, w):
    rows = tf.TensorArray(x.dtype, ROWS)
    h = tf.zeros([COLUMNS], x.dtype)
    for i in tf.range(ROWS):
        h = tf.tanh(x[i] + h * w)
        rows = rows.write(i, h)
    return rows.stack() * x


@form(-3.543157304, -2.804152958, 1.826779336, 11.809050382, -0.593438024)
def array_written_from_the_end(x, w):
    rows = tf.TensorArray(x.dtype, ROWS)
    h = tf.zeros([COLUMNS], x.dtype)
    for i in tf.range(ROWS):
        h = tf.tanh(x[i] + h * w)
        rows = rows.write(ROWS - 1 - i, h)
    return rows.stack() * x


@form(3.742569378, 2.902041586, -1.836525354, 6.829300386, -4.558817333)
def array_written_falling(x, w):
    rows = tf.TensorArray(x.dtype, ROWS)
    h = tf.zeros([COLUMNS], x.dtype)
    for i in tf.range(ROWS - 1, -1, -1):
        h = tf.tanh(x[i] + h * w)
        rows = rows.write(i, h)
    return rows.stack() * x


@form(-1.243716213, 2.89704234, 3.295170952, 49.362236284, 24.401789491)
def array_written_in_pairs(x, w):
    rows = tf.TensorArray(x.dtype, 2 * ROWS)
    h = tf.zeros([COLUMNS], x.dtype)
    for i in tf.range(ROWS):
        h = tf.tanh(x[i] + h * w)
        rows = rows.write(2 * i, h)
        rows = rows.write(2 * i + 1, h * h)
    return rows.stack() * tf.concat([x, x], 0)


@form(-1.921803672, 1.452131189, 1.058287578, 4.097361119, 1.97401378)
def array_written_in_part(x, w):
    rows = tf.TensorArray(x.dtype, ROWS, element_shape=[COLUMNS])
    h = tf.zeros([COLUMNS], x.dtype)
    for i in tf.range(2):
        h = tf.tanh(x[i] + h * w)
        rows = rows.write(i + 1, h)
    return rows.stack() * x


@form(1.633374942, 3.664503898, 3.609778616, 65.258495417, 114.967303035, stays=("state", "reads"))
def array_read_and_written(x, w):
    rows = tf.TensorArray(x.dtype, ROWS, clear_after_read=False).write(0, x[0])
    for i in tf.range(1, ROWS):
        rows = rows.write(i, tf.tanh(rows.read(i - 1) * w + x[i]))
    return rows.stack()


@form(3.736222112, 2.874278039, -1.84652326, 6.985885371, -4.667279289)
def arrays_in_the_state(x, w):
    given = tf.TensorArray(x.dtype, ROWS).unstack(x)
    rows = tf.TensorArray(x.dtype, ROWS)

    def body(i, h, given, rows):
        h = tf.tanh(given.read(i) + h * w)
        return i + 1, h, given, rows.write(i, h)

    state = (0, tf.zeros([COLUMNS], x.dtype), given, rows)
    return tf.while_loop(lambda i, *_: i < ROWS, body, state)[3].stack() * x


@form(-2.827913825, -0.949751088, 0.024156834, -4.847667073, 0.122622835)
def counter_as_a_number(x, w):
    h = tf.zeros([COLUMNS], x.dtype)
    for i in tf.range(ROWS):
        h = tf.tanh(x[i] * tf.cast(i, x.dtype) + h * w / tf.cast(i * i + 1, x.dtype))
    return h


@form(-4.336070073, -10.584639462, 5.188581902, 21.537827794, 212.643746189)
def two_loops(x, w):
    h = tf.zeros([COLUMNS], x.dtype)
    i = tf.constant(0)
    while i < 2:
        h = tf.tanh(x[i] + h * w)
        i += 1
    while i < ROWS:
        h = tf.sin(x[i] + h * w)
        i += 1
    return h * tf.cast(i, x.dtype)


@form(6.761719704, -1.918470947, -0.195209842, -28.852215557, 26.083203689, stays=("reads",))
def tape_inside(x, w):
    h = tf.zeros([COLUMNS], x.dtype)
    for i in tf.range(ROWS):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.tanh(x[i] * h + w * x[i]))
        h = h + tf.reduce_sum(tape.gradient(y, x), 0)
    return h


@form(-1.197455304, -2.647957386, 0.552866835, -7.058983886, 13.156361663, stays=("reads",))
def over_and_over(x, w):
    h = tf.zeros([COLUMNS], x.dtype)
    for i in tf.range(2 * ROWS):
        h = tf.tanh(x[i % ROWS] + h * w)
    return h


@form(-0.090262393, -0.342618423, -0.135930524, -0.86841623, 6.819315956)
def map_over_numbers(x, w):
    return tf.map_fn(lambda i: tf.tanh(x[i] * w), tf.range(ROWS), fn_output_signature=x.dtype)


@form(0.902695466, 1.431234073, 2.558582618, 24.641193598, 78.160134004)
def scan_over_numbers(x, w):
    return tf.scan(lambda h, i: tf.tanh(x[i] + h * w), tf.range(ROWS), initializer=tf.zeros([COLUMNS], x.dtype))


@form(0.904131202, 1.866293062, -1.265297414, 1.623941647, 12.867084819)
def fold_from_the_right(x, w):
    return tf.foldr(lambda h, i: tf.tanh(x[i] + h * w), tf.range(ROWS), initializer=tf.zeros([COLUMNS], x.dtype))
