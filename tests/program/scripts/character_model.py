"""An LSTM over pieces of text, its state carried on in variables; then it continues a text greedily."""

import numpy as np
import tensorflow as tf

text = "to be or not to be that is the question " * 6
letters = sorted(set(text))
codes = np.array([letters.index(c) for c in text])
rng = np.random.default_rng(21)
BATCH, PIECE, UNITS, VOCAB = 4, 3, 16, len(letters)
rows = codes[: len(codes) // BATCH * BATCH].reshape(BATCH, -1)


def variable(*shape):
    return tf.Variable((rng.normal(size=shape) / np.sqrt(shape[0])).astype(np.float32))


embed, wx, wh, out = variable(VOCAB, 8), variable(8, 4 * UNITS), variable(UNITS, 4 * UNITS), variable(UNITS, VOCAB)
bias = tf.Variable(np.concatenate([np.zeros(UNITS), np.ones(UNITS), np.zeros(2 * UNITS)]).astype(np.float32))
weights = [embed, wx, wh, bias, out]
state = [tf.Variable(tf.zeros([BATCH, UNITS]), trainable=False) for _ in "hc"]


def cell(x, h, c):
    i, f, g, o = tf.split(x @ wx + h @ wh + bias, 4, axis=1)
    c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
    return tf.sigmoid(o) * tf.tanh(c), c


def run(codes, h, c):
    x = tf.nn.embedding_lookup(embed, codes)
    logits = []
    for t in range(codes.shape[1]):
        h, c = cell(x[:, t], h, c)
        logits.append(tf.matmul(h, out))
    return tf.stack(logits, axis=1), h, c


squares = [tf.Variable(tf.zeros_like(w), trainable=False) for w in weights]
for epoch in range(8):
    for s in state:
        s.assign(tf.zeros_like(s))
    losses = []
    for start in range(0, rows.shape[1] - 1 - PIECE, PIECE):
        inputs = tf.constant(rows[:, start : start + PIECE])
        targets = tf.constant(rows[:, start + 1 : start + PIECE + 1])
        with tf.GradientTape() as tape:
            logits, h, c = run(inputs, *state)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=logits))
        gradients = [tf.convert_to_tensor(g) for g in tape.gradient(loss, weights)]
        gradients, _ = tf.clip_by_global_norm(gradients, 1.0)
        for w, s, g in zip(weights, squares, gradients):
            s.assign(0.9 * s + 0.1 * tf.square(g))
            w.assign_sub(0.02 * g * tf.math.rsqrt(s + 1e-8))
        for s, new in zip(state, (h, c)):
            s.assign(new)
        losses.append(loss)
    if epoch % 4 == 3:
        print("epoch", epoch, "perplexity %.4f" % tf.exp(tf.reduce_mean(losses)))

written, h, c = "to be or", tf.zeros([1, UNITS]), tf.zeros([1, UNITS])
logits, h, c = run(tf.constant([[letters.index(a) for a in written]]), h, c)
for _ in range(20):
    code = int(tf.argmax(logits[0, -1]))
    written += letters[code]
    logits, h, c = run(tf.constant([[code]]), h, c)
print(repr(written))
