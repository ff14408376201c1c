"""Models for TensorFlow Lite.

python -m tfcompat tests/saved_model/lite_models.py save FOLDER     saves them
python tests/saved_model/lite_models.py convert FOLDER              converts them under TensorFlow, and prints errors
"""

from __future__ import annotations

import json
import pathlib
import sys

import numpy as np
import tensorflow as tf

FILE = "values.npz"
# Those for which the number of examples is open.
OPEN = {"convolution", "transposed", "dense", "attention"}
SIZES = {"image": (2, 16, 16, 3), "series": (2, 12, 4)}


class Attention(tf.Module):
    """Attention of a series to itself."""

    def __init__(self):
        super().__init__()
        self.layer = tf.keras.layers.MultiHeadAttention(2, 4)

    def __call__(self, x):
        return self.layer(x, x)


def layers():
    """Functions of an image or of a series, by name."""
    make = tf.keras.layers

    def recur(x):
        state = tf.zeros([2, 4])
        for place in tf.range(12):
            state = 0.5 * state + x[:, place]
        return state

    return {
        "convolution": ("image", make.Conv2D(4, 3, strides=2, padding="same", activation="relu")),
        "depthwise": ("image", make.DepthwiseConv2D(3)),
        "pool": ("image", make.MaxPooling2D(3, 2, padding="same")),
        "transposed": ("image", make.Conv2DTranspose(4, 3, strides=2, padding="same")),
        "wide_transposed": ("image", make.Conv2DTranspose(4, 5, strides=2, padding="same")),
        "resized": ("image", make.UpSampling2D(2, interpolation="bilinear")),
        "normalised": ("image", make.GroupNormalization(3)),
        "dense": ("series", make.Dense(5, activation="gelu")),
        "elu": ("series", tf.nn.elu),
        "lstm": ("series", make.LSTM(5, return_sequences=True)),
        "gru": ("series", make.Bidirectional(make.GRU(5))),
        "loop": ("series", tf.function(recur)),
        "attention": ("series", Attention()),
    }


def traced(layer, shape, *, is_open):
    """`layer` for images or series of `shape`; for any number of them if it `is_open`."""
    spec = tf.TensorSpec([None, *shape[1:]] if is_open else shape)
    return tf.function(lambda x: layer(x), input_signature=[spec])


def save(folder):
    """Saves a model for each of `layers`, and its argument and result."""
    tf.keras.utils.set_random_seed(0)
    for name, (kind, layer) in layers().items():
        x = np.random.default_rng(0).normal(size=SIZES[kind]).astype("f")
        module = tf.Module()
        module.layer, module.run = layer, traced(layer, x.shape, is_open=name in OPEN)
        y = module.run(tf.constant(x))
        tf.saved_model.save(module, str(folder / name))
        np.savez(folder / name / FILE, x=x, y=y.numpy())


def largest_error(folder, *, in_integers=False):
    """The largest difference between the results of the converted model in `folder` and of the model."""
    with np.load(folder / FILE) as found:
        x, y = found["x"], found["y"]
    converter = tf.lite.TFLiteConverter.from_saved_model(str(folder))
    if in_integers:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = lambda: [[x]]
    interpreter = tf.lite.Interpreter(model_content=converter.convert())
    place = interpreter.get_input_details()[0]["index"]
    interpreter.resize_tensor_input(place, x.shape)
    interpreter.allocate_tensors()
    interpreter.set_tensor(place, x)
    interpreter.invoke()
    result = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
    assert result.shape == y.shape
    return float(np.abs(result - y).max())


if __name__ == "__main__":
    way, given = sys.argv[1], pathlib.Path(sys.argv[2])
    if way == "save":
        save(given)
    else:
        errors = {each.name: largest_error(each) for each in given.iterdir()}
        integers = {name: largest_error(given / name, in_integers=True) for name in ("convolution", "depthwise")}
        print(json.dumps([errors, integers]))
