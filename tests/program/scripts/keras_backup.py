"""`fit` with ModelCheckpoint, BackupAndRestore and TensorBoard, interrupted in the second epoch and started again."""

import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()
rng = np.random.RandomState(0)
inputs = rng.normal(size=(32, 6)).astype(np.float32)
labels = (inputs[:, 0] > 0).astype(np.int32)


class Stop(tf.keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, *_):
        if epoch == 2:
            raise RuntimeError("the machine was switched off")


class Show(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        print("epoch", epoch, " ".join(f"{key} {value:.3f}" for key, value in sorted(logs.items())))


def trained(callbacks):
    start = np.random.RandomState(1)
    model = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(2)])
    model.build((None, 6))
    model.set_weights([start.normal(size=w.shape, scale=0.3) for w in model.get_weights()])
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.Adam(0.01), loss, metrics=["accuracy"])
    shown = [
        *callbacks,
        tf.keras.callbacks.BackupAndRestore(os.path.join(folder, "backup")),
        tf.keras.callbacks.ModelCheckpoint(os.path.join(folder, "best.weights.h5"), save_weights_only=True),
        tf.keras.callbacks.TensorBoard(os.path.join(folder, "logs"), write_graph=False),
        Show(),
    ]
    model.fit(inputs, labels, batch_size=8, epochs=4, shuffle=False, verbose=0, callbacks=shown)
    return model


try:
    trained([Stop()])
except RuntimeError as error:
    print(error)
model = trained([])
print([f"{float(np.abs(w).sum()):.2f}" for w in model.get_weights()])
model.load_weights(os.path.join(folder, "best.weights.h5"))
print(f"{model.evaluate(inputs, labels, verbose=0)[0]:.3f}")
model.export(os.path.join(folder, "exported"), verbose=False)
exported = tf.saved_model.load(os.path.join(folder, "exported"))
served = exported.serve(inputs[:2])
print(np.allclose(served, model(inputs[:2]), atol=1e-5), sorted(os.listdir(os.path.join(folder, "exported")))[-2:])
found = []
for name in sorted(os.listdir(os.path.join(folder, "logs", "train"))):
    for event in tf.compat.v1.train.summary_iterator(os.path.join(folder, "logs", "train", name)):
        found += [(event.step, value.tag) for value in event.summary.value]
print(sorted(set(found) - {(0, "keras")}))
