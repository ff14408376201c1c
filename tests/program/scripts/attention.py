"""Causal self-attention by einsum and matmul, sinusoidal positions, label smoothing; a sequence is continued."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(12)
BATCH, LENGTH, VOCAB, DIM, HEADS = 16, 8, 6, 12, 3


def variable(*shape):
    return tf.Variable((rng.normal(size=shape) / np.sqrt(shape[0])).astype(np.float32))


embed, qkv, proj, unembed = variable(VOCAB, DIM), variable(DIM, 3 * DIM), variable(DIM, DIM), variable(DIM, VOCAB)
weights = [embed, qkv, proj, unembed]
position = tf.range(LENGTH, dtype=tf.float32)[:, None] / 50.0 ** (tf.range(0, DIM, 2, dtype=tf.float32)[None] / DIM)
positions = tf.reshape(tf.stack([tf.sin(position), tf.cos(position)], axis=-1), [LENGTH, DIM])
causal = tf.linalg.band_part(tf.ones([LENGTH, LENGTH]), -1, 0)
print(positions[1].numpy().round(3), int(tf.reduce_sum(causal)))


def heads(x):
    return tf.transpose(tf.reshape(x, [BATCH, LENGTH, HEADS, DIM // HEADS]), [0, 2, 1, 3])


def forward(tokens):
    x = tf.nn.embedding_lookup(embed, tokens) * DIM**0.5 + positions
    q, k, v = map(heads, tf.split(x @ qkv, 3, axis=-1))
    scores = tf.matmul(q, k, transpose_b=True) / tf.math.sqrt(tf.cast(DIM // HEADS, tf.float32))
    scores += (1.0 - causal) * -1e9
    attention = tf.nn.softmax(scores, axis=-1)
    mixed = tf.einsum("bhts,bhsd->bthd", attention, v)
    x = x + tf.reshape(mixed, tf.shape(x)) @ proj
    return tf.matmul(x, unembed), attention


def smoothed_loss(targets, logits, smoothing=0.1):
    soft = tf.one_hot(targets, VOCAB, on_value=1.0 - smoothing, off_value=smoothing / (VOCAB - 1))
    return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(soft, logits))


for step in range(60):
    start = rng.integers(0, VOCAB, size=(BATCH, 1))
    sequence = (start + np.arange(LENGTH + 1) * 2) % VOCAB
    tokens, targets = tf.constant(sequence[:, :-1]), tf.constant(sequence[:, 1:])
    with tf.GradientTape() as tape:
        logits, attention = forward(tokens)
        loss = smoothed_loss(targets, logits)
    gradients = tape.gradient(loss, weights)
    gradients = [tf.convert_to_tensor(g) if isinstance(g, tf.IndexedSlices) else g for g in gradients]
    for w, g in zip(weights, gradients):
        w.assign_sub(0.2 * g)
    if step % 15 == 0:
        right = tf.reduce_mean(tf.cast(tf.argmax(logits, -1) == targets, tf.float32))
        print(f"{step:2d} loss {loss.numpy():.4f} right {right.numpy():.3f}")
print("looks ahead:", float(tf.reduce_max(attention * (1.0 - causal))))
print("rows sum to one:", np.allclose(tf.reduce_sum(attention, -1), 1.0, atol=1e-5))
perplexity = tf.exp(tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits)))
tf.debugging.assert_greater(perplexity, 1.0)
print("perplexity %.4f" % perplexity)
