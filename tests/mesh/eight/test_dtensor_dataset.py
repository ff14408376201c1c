"""Datasets on a mesh."""

from __future__ import annotations

import os

import pytest

import tfcompat as tf

dtensor = tf.experimental.dtensor
U = dtensor.UNSHARDED
MESH = dtensor.create_mesh([("x", 4), ("y", 2)], devices=[f"CPU:{k}" for k in range(8)])
ONCE = pytest.mark.skipif(
    os.environ.get("TFCOMPAT_SUBJECT") == "tensorflow", reason="TensorFlow 2.21 cancels the reads of a second dataset"
)
DATASET = tf.data.Dataset.from_tensor_slices((tf.reshape(tf.range(128.0), [64, 2]), tf.range(64)))


def layout(*specs):
    return dtensor.Layout(list(specs), MESH)


def made(dataset=DATASET, layouts=None, size=8, **options):
    layouts = (layout("x", U), layout("x")) if layouts is None else layouts
    return dtensor.DTensorDataset(dataset, mesh=MESH, layouts=layouts, global_batch_size=size, **options)


def parts(tensor):
    return [part.numpy().tolist() for part in dtensor.unpack(tensor)]


def test_type():
    dataset = made(batch_dim="x")
    assert isinstance(dataset, tf.data.Dataset)
    assert repr(dataset) == (
        "<DTensorDataset element_spec=(TensorSpec(shape=(8, 2), dtype=tf.float32, name=None), "
        "TensorSpec(shape=(8,), dtype=tf.int32, name=None))>"
    )


def test_batches_are_divided():
    iterator = iter(made(batch_dim="x"))
    for first in (0, 8):
        x, y = next(iterator)
        assert parts(y) == [[first + k // 2 * 2, first + k // 2 * 2 + 1] for k in range(8)]
        assert dtensor.fetch_layout(x) == layout("x", U)


@ONCE
def test_batches_are_divided_along_two_axes():
    x, y = next(iter(made(layouts=(layout("x", "y"), layout("x")), batch_dim="x", prefetch=1)))
    assert parts(x)[:4] == [[[0.0], [2.0]], [[1.0], [3.0]], [[4.0], [6.0]], [[5.0], [7.0]]]
    assert parts(y)[3] == [2, 3]


@ONCE
@pytest.mark.parametrize("size", [6, 7])
def test_batches_that_the_mesh_does_not_divide_are_refused(size):
    with pytest.raises(tf.errors.UnknownError):
        next(iter(made(size=size, batch_dim="x")))


@ONCE
def test_batches_may_be_whole():
    _, y = next(iter(made(layouts=(layout(U, U), layout(U)))))
    assert parts(y) == [list(range(8))] * 8


@ONCE
def test_batched_dataset():
    dataset = made(DATASET.batch(2, drop_remainder=True), batch_dim="x", dataset_already_batched=True)
    _, y = next(iter(dataset))
    assert parts(y) == [[k // 2 * 2, k // 2 * 2 + 1] for k in range(8)]


REFUSED = {
    "rank": (lambda: made(layouts=(layout("x"), layout("x")), batch_dim="x"), "Expected layout with rank 2"),
    "dimension": (lambda: made(batch_dim="q"), "Dimension q does not exist in mesh"),
    "batch": (lambda: made(layouts=(layout(U, U), layout("x")), batch_dim="x"), "did not contain it"),
    "structure": (lambda: made(layouts=layout("x", U), batch_dim="x"), "same nested structure"),
    "remainder": (
        lambda: made(DATASET.batch(2), batch_dim="x", dataset_already_batched=True),
        "Ensure drop_remainder=True",
    ),
    "size": (
        lambda: made(DATASET.batch(8, drop_remainder=True), batch_dim="x", dataset_already_batched=True),
        "got 8 but expected 2",
    ),
}


@pytest.mark.parametrize(("act", "match"), REFUSED.values(), ids=REFUSED)
def test_refused(act, match):
    with pytest.raises(ValueError, match=match):
        act()
