"""Kernels called by name agree with TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests import oracle
from tfcompat._raw_ops import absence

BOXES = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 2.0, 1.0, 3.0]]
SCORES = [0.9, 0.8, 0.7]


def suppressed(**others):
    given = {"max_output_size": 3, "iou_threshold": 0.5, "score_threshold": 0.0, "soft_nms_sigma": 0.0}
    found = tf.raw_ops.NonMaxSuppressionV5(boxes=BOXES, scores=SCORES, **given | others)
    return found.selected_indices.numpy().tolist(), found.selected_scores.numpy(), int(found.valid_outputs)


@pytest.mark.parametrize(
    ("others", "places", "scores", "count"),
    [
        ({}, [0, 2], [0.9, 0.7], 2),
        ({"pad_to_max_output_size": True}, [0, 2, 0], [0.9, 0.7, 0.0], 2),
        ({"iou_threshold": 1.0, "soft_nms_sigma": 0.5}, [0, 2, 1], [0.9, 0.7, 0.4096038], 3),
    ],
)
def test_boxes_are_suppressed(others, places, scores, count):
    found = suppressed(**others)
    assert (found[0], found[2]) == (places, count)
    np.testing.assert_allclose(found[1], scores, rtol=1e-6)


@pytest.mark.parametrize(
    ("x", "axis", "y", "idx", "count"),
    [
        ([3, 1, 3], [0], [3, 1], [0, 1, 0], [2, 1]),
        ([3, 1, 3], np.zeros(0, np.int64), [3, 1], [0, 1, 0], [2, 1]),
        ([[1, 2], [1, 2], [0, 5]], [0], [[1, 2], [0, 5]], [0, 0, 1], [2, 1]),
        ([[1, 1], [2, 2]], [1], [[1], [2]], [0, 0], [2]),
        ([[1.5, 1.5]], [-1], [[1.5]], [0, 0], [2]),
    ],
)
def test_distinct_slices(x, axis, y, idx, count):
    found = tf.raw_ops.UniqueV2(x=x, axis=axis)
    assert (found.y.numpy().tolist(), found.idx.numpy().tolist(), found.idx.dtype) == (y, idx, tf.int32)
    assert tf.raw_ops.UniqueV2(x=x, axis=axis, out_idx=tf.int64).idx.dtype == tf.int64
    counted = tf.raw_ops.UniqueWithCountsV2(x=x, axis=axis, out_idx=tf.int64)
    assert [part.numpy().tolist() for part in counted] == [y, idx, count]
    assert (counted.idx.dtype, counted.count.dtype) == (tf.int64, tf.int64)


@pytest.mark.parametrize("axis", [[2], [], 0])
def test_axes_that_are_none(axis):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.raw_ops.UniqueV2(x=[[1, 1], [2, 2]], axis=axis)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.raw_ops.UniqueWithCountsV2(x=[[1, 1], [2, 2]], axis=axis)


@pytest.mark.parametrize("name", ["data.experimental.to_variant", "image.decode_jxl"])
def test_refused_names_tell_a_way_out(name):
    found = tf
    for part in name.split("."):
        found = getattr(found, part)
    with pytest.raises(NotImplementedError, match=rf"tf\.{name} is not supported\. [A-Z]"):
        found(1)


def test_kernels_take_keywords_only():
    with pytest.raises(TypeError, match="takes 0 positional arguments"):
        tf.raw_ops.Add(1.0, 2.0)
    with pytest.raises(TypeError, match="missing the required argument 'y'"):
        tf.raw_ops.Add(x=1.0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        tf.raw_ops.Add(x=1.0, y=2.0, z=3.0)
    assert tf.raw_ops.Add(x=1.0, y=2.0, name="sum").numpy() == 3.0


def test_what_a_kernel_cannot_do_is_refused():
    with pytest.raises(NotImplementedError, match=r"tf\.raw_ops\.Cast: Truncate must be False, got True"):
        tf.raw_ops.Cast(x=1.5, DstT=tf.int32, Truncate=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="the answer is complex128, not complex64"):
        tf.raw_ops.Complex(real=tf.constant(1.0, tf.float64), imag=tf.constant(1.0, tf.float64))


@pytest.mark.parametrize(
    ("name", "way_out"),
    [
        ("CudnnRNN", r"tf\.keras\.layers\.LSTM"),
        ("TensorSliceDataset", r"tf\.data makes"),
        ("QuantizedConv2D", r"tf\.quantization"),
        ("TensorListStack", r"tf\.TensorArray"),
        ("LookupTableFindV2", r"tf\.lookup"),
        ("CholeskyGrad", r"tf\.GradientTape"),
        ("SparseReorder", r"tf\.sparse"),
        ("ApplyAdam", "begins with Resource"),
        ("StatefulUniform", r"tf\.random\.Generator"),
        ("ListDiff", r"tf\.from_jax"),
    ],
)
def test_other_kernels_tell_a_way_out(name, way_out):
    assert name not in tf.raw_ops.__all__
    with pytest.raises(NotImplementedError, match=rf"tf\.raw_ops\.{name} is not supported\. .*{way_out}"):
        getattr(tf.raw_ops, name)(x=1)


def test_names_that_are_no_kernels_are_absent():
    assert not hasattr(tf.raw_ops, "Nonsense")
    with pytest.raises(AttributeError, match=r"TensorFlow has no tf\.raw_ops\.Nonsense"):
        tf.raw_ops.Nonsense  # noqa: B018


def test_all_kernels_of_tensorflow_are_known():
    known = {name.removeprefix("raw_ops.") for name in oracle.signatures() if name.startswith("raw_ops.")}
    assert set(absence._names()) == known
    assert set(tf.raw_ops.__all__) <= known


def test_serialized_tensors_are_parsed():
    message = tf.raw_ops.SerializeTensor(tensor=[1, 2])
    assert tf.raw_ops.ParseTensor(serialized=message, out_type=tf.int32).numpy().tolist() == [1, 2]


def test_decompositions_may_leave_out_vectors():
    found = tf.raw_ops.Svd(input=[[3.0, 0.0], [0.0, 4.0]], compute_uv=False)
    assert (found.s.numpy().tolist(), found.u.shape, found.v.shape) == ([4.0, 3.0], (), ())
    found = tf.raw_ops.Svd(input=[[3.0, 0.0], [0.0, 4.0]])
    np.testing.assert_allclose((found.u * found.s) @ tf.transpose(found.v), [[3.0, 0.0], [0.0, 4.0]], atol=1e-6)
    found = tf.raw_ops.SelfAdjointEigV2(input=[[3.0, 0.0], [0.0, 4.0]], compute_v=False)
    np.testing.assert_allclose(found.e, [3.0, 4.0], rtol=1e-6)
    assert found.v.shape == ()


CELL = {
    "cs_prev": [[0.3, 0.3]],
    "h_prev": [[0.2, 0.2]],
    "w": np.linspace(-1, 1, 32).reshape(4, 8).astype(np.float32),
    **{key: [0.1, 0.2] for key in ("wci", "wcf", "wco")},
    "b": np.linspace(0, 0.7, 8).astype(np.float32),
}


def test_an_lstm_in_one_piece_ends_with_zeros():
    x = tf.constant(np.linspace(-1, 1, 6).reshape(3, 1, 2), tf.float32)
    given = {"seq_len_max": tf.constant(2, tf.int64), "x": x, **CELL}
    found = tf.raw_ops.BlockLSTMV2(**given)
    assert found._fields == ("i", "cs", "f", "o", "ci", "co", "h")
    assert not np.any(found.h.numpy()[2:])
    assert not np.any(found.cs.numpy()[2:])
    np.testing.assert_allclose(
        found.h.numpy()[:2], tf.raw_ops.BlockLSTMV2(**given | {"seq_len_max": tf.constant(3, tf.int64)}).h.numpy()[:2]
    )


@pytest.mark.parametrize("name", ["MaxPoolGrad", "MaxPoolGradV2", "MaxPool3DGrad"])
def test_gradients_go_back_to_the_largest(name):
    is_volume = "3D" in name
    x = tf.reshape(tf.constant([1.0, 5.0, 3.0, 2.0]), [1, 1, 2, 2, 1] if is_volume else [1, 2, 2, 1])
    window = [1, 1, 2, 2, 1] if is_volume else [1, 2, 2, 1]
    largest = tf.reshape(tf.constant([5.0]), [1] * len(window))
    given = {"orig_input": x, "orig_output": largest, "grad": largest * 0.5}
    found = getattr(tf.raw_ops, name)(**given, ksize=window, strides=window, padding="VALID")
    assert found.shape == x.shape
    assert found.numpy().ravel().tolist() == [0.0, 2.5, 0.0, 0.0]


def test_numbers_are_put_into_buckets():
    def buckets(values, boundaries, dtype):
        found = tf.raw_ops.Bucketize(input=tf.constant(values, dtype), boundaries=boundaries)
        assert found.dtype == tf.int32
        return found.numpy().tolist()

    assert buckets([[-1.0, 0.5, 2.0]], [0.0, 1.0], tf.float32) == [[0, 1, 2]]
    assert buckets([1, 2, 3], [1.0, 3.0], tf.int64) == [1, 1, 2]
    assert buckets([float("nan")], [1.0, 2.0], tf.float64) == [2]
    assert buckets([], [1.0], tf.float32) == []
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected sorted boundaries"):
        buckets([1.0], [1.0, 0.0], tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="int8"):
        buckets([1], [1.0], tf.int8)


@pytest.mark.parametrize(
    ("first", "second", "axes"),
    [
        ([2, 1, 1], [1, 3], ([1, 2], [0, 1])),
        ([1, 1], [1, 1], ([], [])),
        ([], [2, 3], ([0, 1], [])),
        ([1], [4, 1], ([0, 1], [1])),
        ([0, 2], [1, 2], ([], [0])),
    ],
)
def test_axes_over_which_gradients_are_summed(first, second, axes):
    found = tf.raw_ops.BroadcastGradientArgs(s0=tf.constant(first, tf.int32), s1=tf.constant(second, tf.int32))
    assert [part.numpy().tolist() for part in found] == list(axes)


def test_gradients_of_shapes_that_do_not_broadcast_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        tf.raw_ops.BroadcastGradientArgs(s0=[2], s1=[3])
