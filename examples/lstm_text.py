"""Classifies sentences of different lengths with an LSTM, in batches that are padded to their longest sentence.

python examples/lstm_text.py              with TensorFlow
python -m tfcompat examples/lstm_text.py  with tfcompat, on JAX
"""

import numpy as np
import tensorflow as tf

GOOD, BAD = ["good", "great", "lovely", "fun"], ["bad", "awful", "dull", "boring"]
OTHERS = ["the", "a", "film", "plot", "was", "and", "very", "acting", "with", "scene", "long", "first"]


def sentences(count, rng):
    """Sentences of 5 to 28 words, and whether they hold more good than bad words."""
    texts, labels = [], []
    for _ in range(count):
        label = int(rng.integers(0, 2))
        words = list(rng.choice(OTHERS, int(2 + min(rng.geometric(0.2), 23))))
        words += list(rng.choice(GOOD if label else BAD, 2)) + list(rng.choice(BAD if label else GOOD, 1))
        rng.shuffle(words)
        texts.append(" ".join(words))
        labels.append(label)
    return texts, np.array(labels, np.float32)


tf.keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)
texts, labels = sentences(300, rng)
test_texts, test_labels = sentences(100, rng)

vectorize = tf.keras.layers.TextVectorization()
vectorize.adapt(texts)


def batches(texts, labels):
    """Word numbers, padded with 0 to the longest sentence of each batch, and labels."""
    dataset = tf.data.Dataset.from_tensor_slices((texts, labels))
    dataset = dataset.map(lambda text, label: (vectorize(text), label))
    return dataset.padded_batch(12, padded_shapes=([None], []))


train = batches(texts, labels).cache().shuffle(25, seed=1).prefetch(tf.data.AUTOTUNE)
test = batches(test_texts, test_labels)
model = tf.keras.Sequential(
    [
        tf.keras.layers.Embedding(vectorize.vocabulary_size(), 16, mask_zero=True),
        tf.keras.layers.LSTM(16),
        tf.keras.layers.Dense(1),
    ]
)
model.compile(
    optimizer=tf.keras.optimizers.Adam(0.01),
    loss=tf.keras.losses.BinaryCrossentropy(from_logits=True),
    metrics=[tf.keras.metrics.BinaryAccuracy(threshold=0.0)],
)
print("batches of length", *[tokens.shape[1] for tokens, _ in test])
history = model.fit(train, validation_data=test, epochs=5, shuffle=False, verbose=0).history
for epoch in range(5):
    print(f"epoch {epoch + 1}:", ", ".join(f"{name} {values[epoch]:.4f}" for name, values in sorted(history.items())))
for text in ("a very good film", "the plot was dull and awful"):
    (logit,) = model(vectorize([text])).numpy()[0]
    print(f"{text}: {1 / (1 + np.exp(-logit)):.3f}")
