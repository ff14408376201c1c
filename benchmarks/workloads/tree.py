"""A recursive net over a tree of another random shape at every step: no two steps are the same program."""

from __future__ import annotations

import random

import numpy as np

from benchmarks.loop import ArrayLoop, TensorLoop

WORDS, WIDTH, LEAVES = 50, 32, 12
RATE = 0.05


def initial_values():
    rng = np.random.default_rng(0)
    left, right = (rng.normal(size=(2, WIDTH, WIDTH)) / np.sqrt(2 * WIDTH)).astype(np.float32)
    words = rng.normal(size=(WORDS, 1, WIDTH)).astype(np.float32)
    return [left, right, np.zeros(WIDTH, np.float32)], words


def random_tree(index):
    """A binary tree of words, as nested pairs, with a shape and words of its own for each `index`."""
    rng = random.Random(index)
    nodes = [rng.randrange(WORDS) for _ in range(LEAVES)]
    while len(nodes) > 1:
        place = rng.randrange(len(nodes) - 1)
        nodes[place : place + 2] = [(nodes[place], nodes[place + 1])]
    return (nodes[0],)


def build(tf):
    weights, words = initial_values()
    left, right, bias = weights = [tf.Variable(w) for w in weights]
    words = [tf.constant(word) for word in words]

    def encode(tree):
        if not isinstance(tree, tuple):
            return words[tree]
        return tf.tanh(tf.matmul(encode(tree[0]), left) + tf.matmul(encode(tree[1]), right) + bias)

    def step(tree):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(encode(tree) - 0.5))
        for w, g in zip(weights, tape.gradient(loss, weights)):
            w.assign_sub(RATE * g)
        return loss

    return TensorLoop(step, random_tree, weights)


def build_jax(jax):
    jnp = jax.numpy
    weights, words = initial_values()
    words = [jnp.asarray(word) for word in words]

    @jax.jit
    def compose(weights, a, b):
        left, right, bias = weights
        return jnp.tanh(a @ left + b @ right + bias)

    def encode(weights, tree):
        if not isinstance(tree, tuple):
            return words[tree]
        return compose(weights, encode(weights, tree[0]), encode(weights, tree[1]))

    @jax.jit
    def mean_squared_error(code):
        return jnp.mean(jnp.square(code - 0.5))

    @jax.jit
    def descend(weights, gradients):
        return [w - RATE * g for w, g in zip(weights, gradients)]

    def step(weights, tree):
        loss, gradients = jax.value_and_grad(lambda weights: mean_squared_error(encode(weights, tree)))(weights)
        return descend(weights, gradients), loss

    return ArrayLoop(step, random_tree, jax.tree.map(jnp.asarray, weights))
