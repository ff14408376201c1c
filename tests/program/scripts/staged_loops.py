"""Decorated functions whose loops and conditions hang on tensors: a root, a fraction, a search and a power method."""

import numpy as np
import tensorflow as tf


@tf.function
def newton_root(x, tolerance):
    y = x
    steps = 0
    while tf.abs(y * y - x) > tolerance * x:
        y = 0.5 * (y + x / y)
        steps += 1
    return y, steps


for number in (2.0, 9.0, 1e6):
    root, steps = newton_root(tf.constant(number), tf.constant(1e-6))
    print("sqrt", number, "%.4f" % root, "in", steps.numpy())


@tf.function
def collatz(n):
    longest, count = n, tf.constant(0)
    while n != 1:
        if n % 2 == 0:
            n //= 2
        else:
            n = 3 * n + 1
        longest = tf.maximum(longest, n)
        count += 1
    return count, longest


lengths = [tuple(int(v) for v in collatz(tf.constant(n))) for n in (1, 6, 27)]
print("collatz", lengths, collatz.experimental_get_tracing_count())


@tf.function
def first_above(values, bound):
    found = -1
    for i in tf.range(tf.shape(values)[0]):
        if values[i] < 0.0:
            continue
        if values[i] > bound:
            found = i
            break
    return found


values = tf.constant([0.1, -5.0, 0.4, 3.0, 9.0])
print("first above", [int(first_above(values, tf.constant(b))) for b in (0.0, 0.3, 2.0, 5.0, 10.0)])


@tf.function
def dominant(matrix, rounds):
    vector = tf.ones([tf.shape(matrix)[0]]) / 2.0
    eigenvalue = tf.constant(0.0)
    for _ in tf.range(rounds):
        moved = tf.linalg.matvec(matrix, vector)
        eigenvalue = tf.norm(moved)
        vector = moved / eigenvalue
    return eigenvalue, vector


m = np.random.default_rng(0).normal(size=(4, 4))
matrix = tf.Variable(m @ m.T, dtype=tf.float32)
with tf.GradientTape() as tape:
    eigenvalue, vector = dominant(matrix, tf.constant(60))
gradient = tape.gradient(eigenvalue, matrix)
outer = vector[:, None] * vector[None, :]
print("eigenvalue %.4f" % eigenvalue, "off by %.4f" % tf.reduce_max(tf.abs(gradient - outer)).numpy())


@tf.function
def clipped_sum(rows, limit):
    total = tf.zeros([2])
    for row in rows:
        if tf.reduce_sum(total) > limit and not tf.reduce_all(row > 0):
            break
        total += row
    return total


rows = tf.constant([[1.0, 2.0], [-3.0, 4.0], [5.0, 6.0]])
for limit in (0.0, 4.0, 1000.0):
    with tf.GradientTape() as tape:
        tape.watch(rows)
        total = clipped_sum(rows, limit)
    print("limit", limit, total.numpy(), tape.gradient(total, rows).numpy().tolist())
