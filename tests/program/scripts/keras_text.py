"""A recurrent Keras classifier of padded sequences of word numbers, trained by a custom loop."""

import numpy as np
import tensorflow as tf

keras = tf.keras
keras.utils.set_random_seed(3)
texts = ["a b c", "b c", "c c a b", "a"]
vocabulary = keras.layers.StringLookup(vocabulary=["a", "b", "c"])
tokens = vocabulary(tf.ragged.constant([text.split() for text in texts])).to_tensor()
labels = np.array([1, 0, 1, 0])
print(tokens.numpy())

model = keras.Sequential(
    [
        keras.layers.Embedding(5, 4, mask_zero=True),
        keras.layers.Bidirectional(keras.layers.LSTM(3)),
        keras.layers.Dense(1),
    ]
)
optimizer = keras.optimizers.RMSprop(0.05)
loss_of = keras.losses.BinaryCrossentropy(from_logits=True)


@tf.function
def step(tokens, labels):
    with tf.GradientTape() as tape:
        loss = loss_of(labels[:, None], model(tokens, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


for number in range(30):
    loss = step(tokens, tf.constant(labels))
    if number % 10 == 9:
        print(f"{number} loss {loss:.5f}")
print(model(tokens).numpy().round(4).ravel())
