"""A classifier is trained, exported with two signatures, and served from the directory, without its class.

The server knows the directory only. It could as well be TensorFlow, whichever library has exported the model.

python examples/exported_classifier.py              with TensorFlow
python -m tfcompat examples/exported_classifier.py  with tfcompat, on JAX
"""

import tempfile

import numpy as np
import tensorflow as tf

STEPS, RATE = 200, 0.5
# Points inside and outside of a circle.
POINTS = np.random.default_rng(1).uniform(-1.0, 1.0, [200, 2]).astype(np.float32)
LABELS = (np.hypot(*POINTS.T) < 0.7).astype(np.int64)


class Classifier(tf.Module):
    def __init__(self):
        super().__init__()
        draw = tf.random.Generator.from_seed(3)
        self.layers = [
            (tf.Variable(draw.normal([2, 16])), tf.Variable(tf.zeros([16]))),
            (tf.Variable(draw.normal([16, 2]) / 4.0), tf.Variable(tf.zeros([2]))),
        ]

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="points")])
    def logits(self, points):
        (first, bias), (second, offset) = self.layers
        return {"logits": tf.tanh(points @ first + bias) @ second + offset}

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="points")])
    def classify(self, points):
        logits = self.logits(points)["logits"]
        return {"class": tf.argmax(logits, axis=-1), "share": tf.reduce_max(tf.nn.softmax(logits), axis=-1)}


def train(model):
    """The loss after the last step."""
    variables = model.trainable_variables
    loss = None
    for _ in range(STEPS):
        with tf.GradientTape() as tape:
            logits = model.logits(POINTS)["logits"]
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(LABELS, logits))
        for variable, gradient in zip(variables, tape.gradient(loss, variables)):
            variable.assign_sub(RATE * gradient)
    return loss


def serve(folder, requests):
    """Answers to requests of different sizes, by the signature of the model in a folder."""
    classify = tf.saved_model.load(folder).signatures["serving_default"]
    for points in requests:
        answer = classify(points=tf.constant(points, tf.float32))
        yield answer["class"].numpy().tolist(), answer["share"].numpy()


with tempfile.TemporaryDirectory() as folder:
    model = Classifier()
    train(model)
    tf.saved_model.save(model, folder, signatures={"serving_default": model.classify, "logits": model.logits})
    requests = [[[0.0, 0.0]], [[0.9, 0.9], [0.1, -0.2], [-0.8, 0.7]]]
    for classes, shares in serve(folder, requests):
        print("classes", classes, "sure" if shares.min() > 0.8 else "unsure")

    loaded = tf.saved_model.load(folder)
    right = np.mean(loaded.classify(POINTS)["class"].numpy() == LABELS)
    print("right" if right > 0.9 else "wrong", "for most points")
