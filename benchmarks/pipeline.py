"""CPU time of input pipelines per element, under TensorFlow and tfcompat.

python -m benchmarks.pipeline --tensorflow PYTHON [--elements 1000000]
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.remote import found_by

# Pipeline -> the least ratio of TensorFlow's time to ours, and by how much fewer elements are read.
TARGETS = {
    "slices, shuffle, batch, prefetch": (2, 1),
    "rows of 8, shuffle, batch, prefetch": (2, 1),
    "slices, batch": (2, 1),
    "generator, batch": (20, 10),
    "generator of pairs, batch": (20, 40),
    "slices, map of three ops, batch": (20, 20),
    "slices, batch, map": (1.5, 1),
    "records, parse_single_example, batch": (3, 50),
    "records, batch, parse_example": (0.8, 50),
    "JPEG of 240 to 480 pixels, resize, batch": (0.6, 5000),
}
_SIZES = (240, 480)


def pipelines(tf: Any, count: int) -> dict[str, Callable[[], Any]]:
    """The functions that make the datasets, by the names in `TARGETS`; they have `count` elements before reduction."""
    numbers, rows = np.arange(count, dtype=np.float32), np.ones((count, 8), np.float32)
    dataset, spec = tf.data.Dataset, tf.TensorSpec
    few = {name: count // part for name, (_, part) in TARGETS.items()}
    return {
        "slices, shuffle, batch, prefetch": lambda: shuffled(tf, numbers),
        "rows of 8, shuffle, batch, prefetch": lambda: shuffled(tf, rows),
        "slices, batch": lambda: dataset.from_tensor_slices(numbers).batch(128),
        "generator, batch": lambda: dataset.from_generator(
            lambda: iter(range(few["generator, batch"])), output_signature=spec([], tf.int32)
        ).batch(128),
        "generator of pairs, batch": lambda: dataset.from_generator(
            lambda: ((rows[k], k) for k in range(few["generator of pairs, batch"])),
            output_signature=(spec([8], tf.float32), spec([], tf.int32)),
        ).batch(128),
    }


def maps(tf: Any, count: int, folder: str) -> dict[str, Callable[[], Any]]:
    """As `pipelines`, for functions of elements; the files are made in `folder`."""
    dataset, spec = tf.data.Dataset, {"x": tf.io.FixedLenFeature([8], tf.float32)}
    few = {name: max(1, count // part) for name, (_, part) in TARGETS.items()}
    records = recorded(tf, f"{folder}/rows.tfrecord", few["records, batch, parse_example"])
    images = drawn(tf, folder, few["JPEG of 240 to 480 pixels, resize, batch"])
    numbers = np.arange(count, dtype=np.float32)

    def image(name: Any) -> Any:
        return tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(name), channels=3), [224, 224])

    return {
        "slices, map of three ops, batch": lambda: (
            dataset.from_tensor_slices(numbers[: few["slices, map of three ops, batch"]])
            .map(lambda x: tf.sqrt(x + 1.0) * 2.0, num_parallel_calls=tf.data.AUTOTUNE)
            .batch(128)
        ),
        "slices, batch, map": lambda: (
            dataset.from_tensor_slices(numbers).batch(128).map(lambda x: tf.sqrt(x + 1.0) * 2.0)
        ),
        "records, parse_single_example, batch": lambda: (
            tf.data.TFRecordDataset(records)
            .map(lambda x: tf.io.parse_single_example(x, spec), num_parallel_calls=tf.data.AUTOTUNE)
            .batch(128)
        ),
        "records, batch, parse_example": lambda: (
            tf.data.TFRecordDataset(records).batch(128).map(lambda x: tf.io.parse_example(x, spec))
        ),
        "JPEG of 240 to 480 pixels, resize, batch": lambda: (
            dataset.from_tensor_slices(images).map(image, num_parallel_calls=tf.data.AUTOTUNE).batch(32)
        ),
    }


def recorded(tf: Any, path: str, count: int) -> str:
    """The path of a file of `count` examples with eight numbers each."""
    with tf.io.TFRecordWriter(path) as writer:
        for number in range(count):
            values = tf.train.Feature(float_list=tf.train.FloatList(value=[float(number)] * 8))
            writer.write(tf.train.Example(features=tf.train.Features(feature={"x": values})).SerializeToString())
    return path


def drawn(tf: Any, folder: str, count: int) -> list[str]:
    """The paths of `count` JPEG files of smooth, noisy images."""
    rng, paths = np.random.default_rng(0), []
    for number in range(count):
        height, width = rng.integers(*_SIZES, 2)
        rows, columns = np.mgrid[:height, :width]
        plain = np.stack([128 + 100 * np.sin(columns / 17), 128 + 100 * np.cos(rows / 23), (rows + columns) % 256], -1)
        pixels = np.clip(plain + rng.normal(0, 8, plain.shape), 0, 255).astype(np.uint8)
        paths.append(f"{folder}/{number}.jpg")
        tf.io.write_file(paths[-1], tf.io.encode_jpeg(pixels))
    return paths


def shuffled(tf: Any, values: Any) -> Any:
    """Slices of `values` in random order, in batches that are read ahead."""
    return tf.data.Dataset.from_tensor_slices(values).shuffle(10_000).batch(128).prefetch(tf.data.AUTOTUNE)


def measure(module: str, count: int) -> dict[str, float]:
    """The CPU microseconds for each element of each pipeline under `module`."""
    tf, found = importlib.import_module(module), {}
    with tempfile.TemporaryDirectory() as folder:
        for name, make in (pipelines(tf, count) | maps(tf, count, folder)).items():
            made = make()
            for _ in made.take(2):
                pass
            start = time.process_time()
            for _ in made:
                pass
            found[name] = (time.process_time() - start) * 1e6 * TARGETS[name][1] / count
    return found


def measured_by(python: str, module: str, count: int) -> dict[str, float]:
    """The same, by another process."""
    return found_by([python, "-m", "benchmarks.pipeline", "--subject", module, "--elements", str(count)])


def main() -> None:
    """Prints a row for each pipeline; `x` marks a missed target."""
    parser = argparse.ArgumentParser(prog="benchmarks.pipeline", description=__doc__.splitlines()[0])
    parser.add_argument("--tensorflow", help="the Python that has TensorFlow")
    parser.add_argument("--elements", type=int, default=1_000_000)
    parser.add_argument("--subject", help="measures this module only, and prints JSON")
    given = parser.parse_args()
    if given.subject:
        print(json.dumps(measure(given.subject, given.elements)))
        return
    theirs = measured_by(given.tensorflow, "tensorflow", given.elements)
    ours = measured_by(sys.executable, "tfcompat", given.elements)
    print(f"{'CPU microseconds for an element':40}{'TensorFlow':>12}{'tfcompat':>12}{'ratio':>9}{'at least':>10}")
    for name, (target, _) in TARGETS.items():
        ratio = theirs[name] / ours[name]
        missed = "" if ratio >= target else "  x"
        print(f"{name:40}{theirs[name]:12.2f}{ours[name]:12.3f}{ratio:9.1f}{target:10}{missed}")


if __name__ == "__main__":
    main()
