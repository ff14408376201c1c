"""Whole computations, as users write them, of arrays whose sizes vary."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tests.jaxpr.padded.trial import Input, trial

NUMBERS = ("NHWC", "HWIO", "NHWC")


def attention(x, query, key, value, output):
    """An attention block with a residual and a layer norm."""
    scores = jnp.einsum("bid,bjd->bij", x @ query, x @ key) / 2.0
    x = x + jax.nn.relu(jax.nn.softmax(scores) @ (x @ value) @ output)
    return layer_norm(x)


def layer_norm(x):
    return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)


def heads(x, weights):
    """Attention with two heads: axes are split and merged."""
    batch, length, width = x.shape
    q, k, v = ((x @ weights[i]).reshape(batch, length, 2, width // 2).transpose(0, 2, 1, 3) for i in range(3))
    causal = jnp.tril(jnp.ones((length, length), bool))
    scores = jnp.where(causal, jnp.einsum("bhid,bhjd->bhij", q, k), -1e9)
    return jnp.einsum("bhij,bhjd->bhid", jax.nn.softmax(scores), v).transpose(0, 2, 1, 3).reshape(x.shape)


def convolutional(x, first, second, last):
    """Convolutions with bias, pooling, a mean over the image and a product."""
    x = jax.nn.relu(lax.conv_general_dilated(x, first, (1, 1), "SAME", dimension_numbers=NUMBERS))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    x = jax.nn.relu(lax.conv_general_dilated(x, second, (1, 1), "VALID", dimension_numbers=NUMBERS))
    return x.mean((1, 2)) @ last


def recurrent(x, kernel, start):
    """An LSTM along the second axis."""

    def step(state, row):
        hidden, cell = state
        gates = jnp.concatenate([row, hidden], -1) @ kernel
        i, f, g, o = jnp.split(gates, 4, -1)
        cell = jax.nn.sigmoid(f) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
        hidden = jax.nn.sigmoid(o) * jnp.tanh(cell)
        return (hidden, cell), hidden

    (hidden, _), outputs = lax.scan(step, (start, start), x.transpose(1, 0, 2))
    return hidden, outputs.transpose(1, 0, 2)


def cross_entropy(logits, labels):
    """The mean of sparse cross entropies."""
    logs = jax.nn.log_softmax(logits)
    return -jnp.take_along_axis(logs, labels[:, None], 1, mode="clip").mean()


def masked_mean(x, lengths):
    """The mean of the first rows of each element of the batch."""
    mask = lax.broadcasted_iota(np.int32, x.shape[:2], 1) < lengths[:, None]
    return jnp.where(mask[..., None], x, 0).sum(1) / jnp.maximum(lengths, 1)[:, None]


def trained_embedding(table, ids, x):
    """A gradient step of an embedding, by rows."""
    rows = table[ids]
    return table.at[ids].add(-0.1 * (rows - x) / ids.shape[0])


TRIALS = [
    trial("attention", attention, "3, n, 4", *["4, 4"] * 4),
    trial("attention, open batch", attention, "m, n, 4", *["4, 4"] * 4),
    trial("attention, two heads", heads, "m, n, 4", "3, 4, 4"),
    trial("convolutional network", convolutional, "2, 2*n + 4, 2*m + 4, 2", "3, 3, 2, 3", "3, 3, 3, 4", "4, 2"),
    trial("convolutional network, open batch", convolutional, "n, 10, 9, 2", "3, 3, 2, 3", "3, 3, 3, 4", "4, 2"),
    trial("LSTM", recurrent, "m, n, 3", "5, 8", "m, 2"),
    trial("embedding, by rows", trained_embedding, "5, 3", Input("n", np.int32, 0, 5), "n, 3"),
    trial("embedding, open rows", trained_embedding, "m, 3", Input("n", np.int32, 0, 2), "n, 3"),
    trial("cross entropy", cross_entropy, "n, 5", Input("n", np.int32, 0, 5)),
    trial("cross entropy, open classes", cross_entropy, "n, m", Input("n", np.int32, 0, 2)),
    trial("layer norm", layer_norm, "n, m, 4"),
    trial("layer norm, open width", layer_norm, "n, m"),
    trial("masked mean", masked_mean, "m, n, 3", Input("m", np.int32, 0, 9)),
    trial("running sum, sorted", lambda x: lax.top_k(jnp.sort(jnp.cumsum(x, 1), 1), 2), "n, m"),
]
