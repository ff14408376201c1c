"""Trains a classifier of images that it reads from TFRecord files, which it has made itself.

python examples/image_records.py              with TensorFlow
python -m tfcompat examples/image_records.py  with tfcompat, on JAX; needs pip install 'tfcompat[data]'
"""

import os
import tempfile

import numpy as np
import tensorflow as tf

CLASSES, SIDE, FILES, IMAGES = 3, 16, 2, 60


def drawing(rng, label):
    """A picture of stripes: across, down, or checked, with noise; its sides are 20 to 27 pixels long."""
    height, width = rng.integers(20, 28, 2)
    rows, columns = np.mgrid[:height, :width] // 4 % 2
    pattern = (rows, columns, rows ^ columns)[label][..., None]
    pixels = 60 + 120 * pattern + rng.integers(-30, 30, (height, width, 3))
    return np.clip(pixels, 0, 255).astype(np.uint8)


def write(folder):
    """Writes the files."""
    rng = np.random.default_rng(0)
    for number in range(FILES):
        with tf.io.TFRecordWriter(os.path.join(folder, f"train-{number}.tfrecord")) as writer:
            for _ in range(IMAGES):
                label = int(rng.integers(CLASSES))
                image = tf.io.encode_jpeg(drawing(rng, label), quality=95).numpy()
                features = {
                    "image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[image])),
                    "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
                }
                example = tf.train.Example(features=tf.train.Features(feature=features))
                writer.write(example.SerializeToString())


def parse(record):
    """The image and the label of a record."""
    features = {
        "image": tf.io.FixedLenFeature([], tf.string),
        "label": tf.io.FixedLenFeature([], tf.int64),
    }
    parsed = tf.io.parse_single_example(record, features)
    image = tf.io.decode_jpeg(parsed["image"], channels=3)
    image = tf.image.resize(image, [SIDE, SIDE]) / 127.5 - 1.0
    return image, parsed["label"]


def augment(image, label):
    """The image, perhaps mirrored, a little brighter or darker."""
    image = tf.image.random_flip_left_right(image, seed=1)
    return tf.image.random_brightness(image, 0.1, seed=2), label


def pipeline(folder):
    """Batches of images in random order."""
    files = tf.data.Dataset.list_files(os.path.join(folder, "train-*.tfrecord"), shuffle=False)
    records = files.interleave(tf.data.TFRecordDataset, cycle_length=FILES)
    images = records.map(parse, num_parallel_calls=tf.data.AUTOTUNE).cache()
    return images.shuffle(FILES * IMAGES, seed=3).map(augment).batch(32).prefetch(tf.data.AUTOTUNE)


def train(dataset):
    """A convolution and a dense layer, with gradient descent."""
    normal = tf.random.Generator.from_seed(4).normal
    kernel = tf.Variable(normal([5, 5, 3, 8], stddev=0.1))
    weights = tf.Variable(normal([8 * (SIDE // 4) ** 2, CLASSES], stddev=0.05))
    variables = [kernel, weights]

    @tf.function
    def step(images, labels):
        with tf.GradientTape() as tape:
            hidden = tf.nn.relu(tf.nn.conv2d(images, kernel, strides=1, padding="SAME"))
            pooled = tf.nn.max_pool2d(hidden, 4, 4, "SAME")
            logits = tf.reshape(pooled, [tf.shape(images)[0], -1]) @ weights
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
            loss = tf.reduce_mean(losses)
        for variable, gradient in zip(variables, tape.gradient(loss, variables)):
            variable.assign_sub(0.2 * gradient)
        return loss, tf.reduce_sum(tf.cast(tf.argmax(logits, 1) == labels, tf.int32))

    for epoch in range(6):
        total, right, steps = 0.0, 0, 0
        for images, labels in dataset:
            loss, hits = step(images, labels)
            total += float(loss)
            right += int(hits)
            steps += 1
        print(f"epoch {epoch + 1}: loss {total / steps:.4f}, {right} of {FILES * IMAGES} right")


if __name__ == "__main__":
    tf.random.set_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        write(folder)
        train(pipeline(folder))
