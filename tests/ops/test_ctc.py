"""Sparse labels, impossible alignments, and decoding of frames. Literals are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

LOGITS = np.random.RandomState(0).randn(5, 3, 4).astype(np.float32)
DENSE = tf.constant([[1, 2, 0], [1, 1, 0], [3, 2, 1]])
PLACES = [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1], [2, 2]]
SPARSE = tf.SparseTensor(PLACES, tf.constant([1, 2, 1, 1, 3, 2, 1]), [3, 3])
FRAMES = [5, 4, 5]


def loss_and_gradient(labels, logits, **options):
    x = tf.Variable(logits)
    with tf.GradientTape() as tape:
        loss = tf.nn.ctc_loss(labels, x, [2, 2, 3], FRAMES, **options)
    return loss.numpy(), tape.gradient(loss, x).numpy()


@pytest.mark.parametrize("classes", [4, 200])
def test_sparse_labels_are_dense_ones(classes):
    logits = np.concatenate((LOGITS, np.zeros((5, 3, classes - 4), np.float32)), -1)
    of_sparse, of_dense = loss_and_gradient(SPARSE, logits, blank_index=0), loss_and_gradient(DENSE, logits)
    for one, other in zip(of_sparse, of_dense):
        assert np.allclose(one, other, atol=1e-6)


def test_loss_of_sparse_labels():
    found, gradient = loss_and_gradient(SPARSE, LOGITS.astype(np.float64), blank_index=0)
    assert found.dtype == gradient.dtype == np.float64
    assert np.allclose(found, [4.4008513, 6.2723664, 3.4428111])
    assert np.allclose(gradient[0, 0], [-0.4311547, -0.1909312, 0.1372341, 0.484852], atol=1e-6)
    assert not gradient[4, 1].any()


def test_last_class_as_blank_of_sparse_labels():
    labels = SPARSE.with_values(SPARSE.values - 1)
    found, _ = loss_and_gradient(labels, LOGITS, blank_index=-1)
    assert np.allclose(found, [1.8537613, 4.0714827, 3.4897068])
    other = tf.nn.ctc_loss(labels, LOGITS.transpose(1, 0, 2), None, FRAMES, logits_time_major=False, blank_index=3)
    assert np.allclose(other, found)


def test_steps_with_labels_of_varying_number_share_programs():
    rng, weights = np.random.default_rng(0), tf.Variable(np.eye(4, dtype=np.float32))

    def step():
        counts = rng.integers(1, 4, 3)
        labels = tf.RaggedTensor.from_row_lengths(rng.integers(0, 3, counts.sum()).astype(np.int32), counts)
        with tf.GradientTape() as tape:
            scores = tf.constant(rng.normal(size=(9, 3, 4)).astype(np.float32)) @ weights
            loss = tf.reduce_sum(tf.nn.ctc_loss(labels.to_sparse(), scores, None, [9, 9, 9], blank_index=-1))
        weights.assign_sub(0.01 * tape.gradient(loss, weights))
        return float(loss)

    for _ in range(12):
        step()
    before = tf.counters().compiles
    for _ in range(12):
        step()
    assert tf.counters().compiles - before <= 2


def test_gradient_is_the_slope():
    def total(x):
        return float(tf.reduce_sum(tf.nn.ctc_loss(SPARSE, x, None, FRAMES, blank_index=0)))

    wide = LOGITS.astype(np.float64)
    step = 1e-5 * np.random.default_rng(1).standard_normal(LOGITS.shape)
    slope = np.sum(loss_and_gradient(SPARSE, wide, blank_index=0)[1] * step)
    assert slope == pytest.approx((total(wide + step) - total(wide - step)) / 2, rel=1e-6)


def test_sparse_labels_need_a_blank_and_time():
    with pytest.raises(ValueError, match="blank_index"):
        tf.nn.ctc_loss(SPARSE, LOGITS, None, FRAMES)
    for frames in ([1, 4, 5], [9, 4, 5]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="at least as many frames"):
            tf.nn.ctc_loss(SPARSE, LOGITS, None, frames, blank_index=0)
    without = tf.SparseTensor([[0, 0], [2, 0]], tf.constant([1, 2]), [3, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have labels"):
        tf.nn.ctc_loss(without, LOGITS, None, FRAMES, blank_index=0)


def test_dense_labels_may_lack_time_at_a_price():
    assert np.allclose(tf.nn.ctc_loss(DENSE, LOGITS, [2, 2, 3], [1, 2, 2]), [707.8667, 707.59406, 707.9651])


def test_dense_labels_of_confident_logits_pay_the_price_too():
    found, gradient = loss_and_gradient(DENSE, 1000 * LOGITS)
    assert np.allclose(found, [1783.3538, 3706.222, 1719.8258])
    assert gradient[:, 2].astype(int).tolist() == [[0] * 4, [0] * 4, [0, 0, -1, 1], [0, -1, 0, 1], [0] * 4]


def test_repeated_labels_without_a_frame_between_are_impossible():
    x = tf.constant(LOGITS)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.nn.ctc_loss(SPARSE, x, None, [5, 2, 5], blank_index=0)
    np.testing.assert_allclose(loss, [4.4008512, np.inf, 3.4428113], rtol=1e-6)
    slope = tape.gradient(loss, x).numpy()[:, 1]
    np.testing.assert_allclose(slope[:2], tf.nn.softmax(LOGITS[:2, 1]), rtol=1e-5)
    assert not slope[2:].any()


def test_second_derivative_is_finite():
    # TensorFlow's is nan with dense labels, and an error with sparse ones.
    x = tf.Variable(LOGITS)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            loss = tf.nn.ctc_loss(DENSE, x, [2, 2, 3], FRAMES)
        first = inner.gradient(loss, x)
    second = outer.gradient(first, x, output_gradients=first).numpy()
    ahead, behind = (loss_and_gradient(DENSE, LOGITS + s * first.numpy())[1] for s in (1e-2, -1e-2))
    assert np.allclose(second, (ahead - behind) / 2e-2, atol=1e-3)


def test_loss_in_a_compiled_step():
    @tf.function
    def step(logits):
        return tf.nn.ctc_loss(DENSE, logits, [2, 2, 3], FRAMES)

    assert np.allclose(step(tf.constant(LOGITS)), [4.4008517, 6.2723665, 3.4428113])


def spelled(decoded):
    return [
        (one.indices.numpy().tolist(), one.values.numpy().tolist(), one.dense_shape.numpy().tolist()) for one in decoded
    ]


def test_greedy_decoder():
    x = np.float32([[[0, 9, 1]], [[0, 9, 1]], [[0, 1, 9]], [[0, 9, 1]], [[9, 0, 1]]])
    decoded, score = tf.nn.ctc_greedy_decoder(x, [5])
    assert spelled(decoded) == [([[0, 0], [0, 1], [0, 2]], [1, 1, 0], [1, 3])]
    assert decoded[0].values.dtype == tf.int64
    assert score.numpy().tolist() == [[-45.0]]
    decoded, score = tf.nn.ctc_greedy_decoder(x, [4], merge_repeated=False)
    assert spelled(decoded)[0][1] == [1, 1, 1]
    decoded, score = tf.nn.ctc_greedy_decoder(x, [5], blank_index=0)
    assert spelled(decoded)[0][1] == [1, 2, 1]
    decoded, score = tf.nn.ctc_greedy_decoder(x, [0])
    assert spelled(decoded) == [([], [], [1, 0])]
    assert score.numpy().tolist() == [[0.0]]


@pytest.mark.parametrize("options", [{}, {"merge_repeated": False, "blank_index": 0}])
def test_greedy_decoder_in_a_function(options):
    runs = []

    @tf.function
    def decode(x, lengths):
        runs.append(None)
        decoded, score = tf.nn.ctc_greedy_decoder(x, lengths, **options)
        dense = tf.sparse.to_dense(tf.sparse.reset_shape(decoded[0], [3, 9]), default_value=-1)
        return decoded[0], score, dense

    for seed in range(4):
        x = np.random.RandomState(seed).randn(7, 3, 5).astype(np.float32)
        if seed == 3:
            x[:] = x[0, 0, 0]  # all frames are of the first class
        found, score, dense = decode(x, tf.constant([7, 2, 0]))
        expected, expected_score = tf.nn.ctc_greedy_decoder(x, [7, 2, 0], **options)
        assert spelled([found]) == spelled(expected)
        np.testing.assert_allclose(score, expected_score, rtol=1e-6)
        np.testing.assert_array_equal(dense, tf.sparse.to_dense(tf.sparse.reset_shape(found, [3, 9]), default_value=-1))
    assert len(runs) == 1


def test_beam_search_adds_up_the_ways():
    # The likeliest class of each frame is the blank, but the label is likelier than none (Graves, figure 7.5).
    x = np.log(np.float32([[[0.3, 0.7]], [[0.4, 0.6]]]))
    decoded, scores = tf.nn.ctc_beam_search_decoder(x, [2], beam_width=4, top_paths=2)
    assert [values for _, values, _ in spelled(decoded)] == [[0], []]
    assert np.allclose(np.exp(scores), [[0.58, 0.42]])


def test_beam_search_prunes_as_tensorflow_does():
    x = (2 * np.random.RandomState(3).randn(20, 1, 6)).astype(np.float32)
    decoded, scores = tf.nn.ctc_beam_search_decoder(x, [20], beam_width=8, top_paths=3)
    likeliest = [0, 1, 4, 2, 1, 2, 0, 3, 1, 3, 2]
    assert [values for _, values, _ in spelled(decoded)] == [likeliest, [*likeliest, 0], [*likeliest, 1]]
    assert np.allclose(scores, [[-6.6534, -6.8966, -7.1119]], atol=1e-4)


def test_decoders_check_their_arguments():
    x = np.zeros((3, 2, 4), np.float32)
    decode = tf.nn.ctc_greedy_decoder, tf.nn.ctc_beam_search_decoder
    for decoder in decode:
        with pytest.raises(tf.errors.FailedPreconditionError, match="at most 3"):
            decoder(x, [4, 1])
        with pytest.raises(tf.errors.FailedPreconditionError, match="shape"):
            decoder(x, [3])
        with pytest.raises(tf.errors.InvalidArgumentError, match="rank 3"):
            decoder(x[0], [1, 1])
        with pytest.raises(tf.errors.InvalidArgumentError, match="int32"):
            decoder(x, tf.constant([1, 1], tf.int64))
        for shape in ((0, 2, 4), (3, 0, 4), (3, 2, 0)):
            with pytest.raises(tf.errors.InvalidArgumentError, match="must not be empty"):
                decoder(np.zeros(shape, np.float32), np.zeros(shape[1], np.int32))
    with pytest.raises(tf.errors.InvalidArgumentError, match="blank_index"):
        tf.nn.ctc_greedy_decoder(x, [3, 3], blank_index=4)
    with pytest.raises(tf.errors.InvalidArgumentError, match="top_paths"):
        tf.nn.ctc_beam_search_decoder(x, [3, 3], 2, 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="less than 3"):
        tf.nn.ctc_beam_search_decoder(x, [0, 0], 5, 3)


def test_collapse_repeated_takes_one_length_for_all_rows_and_any_dtype():
    labels = tf.constant([[1, 1, 2], [3, 3, 3]])
    for length in (3, [3]):
        found, lengths = tf.nn.collapse_repeated(labels, tf.constant(length))
        assert found.numpy().tolist() == [[1, 2], [3, 0]]
        assert lengths.numpy().tolist() == [2, 1]
    assert tf.nn.collapse_repeated(labels > 2, [3, 2])[0].numpy().tolist() == [[False], [True]]
    assert tf.nn.collapse_repeated(tf.cast(labels, "complex64"), [3, 2])[0].numpy().tolist() == [[1, 2], [3, 0]]


@pytest.mark.parametrize("lengths", [[3, 2, 1], [[3, 1]]], ids=["many", "matrix"])
def test_collapse_repeated_needs_a_length_for_each_row(lengths):
    with pytest.raises(tf.errors.InvalidArgumentError, match="an element for each row"):
        tf.nn.collapse_repeated([[1, 1, 2], [3, 3, 3]], lengths)


def test_unique_labels_of_nothing_and_of_truth():
    assert [part.shape for part in tf.nn.ctc_unique_labels(tf.zeros([3, 0], "int32"))] == [[3, 0]] * 2
    assert [part.shape for part in tf.nn.ctc_unique_labels(tf.zeros([0, 3], "int32"))] == [[0]] * 2
    found, places = tf.nn.ctc_unique_labels([[True, False, True]])
    assert found.numpy().tolist() == [[1, 0, 0]]
    assert places.numpy().tolist() == [[0, 1, 0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank 2"):
        tf.nn.ctc_unique_labels([1, 2])
    with pytest.raises(ValueError, match="rank 2"):
        tf.nn.ctc_unique_labels(1)


def test_beam_search_of_version_1_merges_equal_labels_in_its_results():
    x = np.random.RandomState(3).normal(size=(4, 9, 3, 4)).astype(np.float32)[2] * np.float32(1.5)
    found = {}
    for merges in (True, False):
        decoded, scores = tf.compat.v1.nn.ctc_beam_search_decoder(x, [9, 7, 4], 6, 2, merge_repeated=merges)
        found[merges] = [tf.sparse.to_dense(one, default_value=-1).numpy().tolist() for one in decoded]
        np.testing.assert_allclose(scores[0], [-3.2723, -3.495200], rtol=1e-5)
    assert found[False] == [
        [[0, 2, 1, 0, 2, 1], [2, 2, 0, -1, -1, -1], [1, 2, 1, -1, -1, -1]],
        [[0, 2, 1, 0, 2, 2], [2, 1, 2, 0, -1, -1], [1, 0, 2, 1, -1, -1]],
    ]
    assert found[True] == [
        [[0, 2, 1, 0, 2, 1], [2, 0, -1, -1, -1, -1], [1, 2, 1, -1, -1, -1]],
        [[0, 2, 1, 0, 2], [2, 1, 2, 0, -1], [1, 0, 2, 1, -1]],
    ]


def test_labels_are_decoded_in_maps_of_datasets():
    x = np.float32([[[0, 9, 1]], [[0, 9, 1]], [[0, 1, 9]], [[0, 9, 1]], [[9, 0, 1]]])
    data = tf.data.Dataset.from_tensor_slices(np.stack([x, x[::-1]]))
    decoded = data.map(lambda frames: tf.sparse.to_dense(tf.nn.ctc_greedy_decoder(frames, [5])[0][0]))
    assert [one.tolist() for one in decoded.as_numpy_iterator()] == [[[1, 1, 0]], [[0, 1, 1]]]
    rows = data.map(lambda frames: tf.RaggedTensor.from_sparse(tf.nn.ctc_greedy_decoder(frames, [5])[0][0]))
    assert [one.to_list() for one in rows] == [[[1, 1, 0]], [[0, 1, 1]]]


def test_loss_of_sparse_labels_of_unknown_length():
    y = tf.sparse.from_dense([[1, 2, 0], [3, 0, 0]])
    x = np.random.default_rng(0).normal(size=(2, 6, 5)).astype(np.float32)

    def loss(labels, logits):
        return tf.nn.ctc_loss(labels, logits, None, [6, 6], logits_time_major=False, blank_index=0)

    function = tf.function(
        loss, input_signature=[tf.SparseTensorSpec([None, None], tf.int32), tf.TensorSpec([2, None, 5])]
    )
    expected = loss(y, tf.constant(x))
    np.testing.assert_allclose(function(y, x), expected, rtol=1e-6)


PADDED = tf.sparse.from_dense([[1, 2, 99], [2, 99, 99], [4, 3, 1]])
OF_PADDED = [11.567, 13.015, 7.0858]
OTHER_LOGITS = np.random.RandomState(0).randn(8, 3, 6).astype(np.float32)


@pytest.mark.parametrize("is_first_version", [False, True])
def test_sparse_labels_end_before_a_number_outside_of_the_classes(is_first_version):
    def loss(labels, logits):
        if is_first_version:
            return tf.compat.v1.nn.ctc_loss(labels, logits, [8, 8, 7])
        return tf.nn.ctc_loss(labels, logits, None, [8, 8, 7], blank_index=-1)

    logits = tf.constant(OTHER_LOGITS)
    with tf.GradientTape() as tape:
        tape.watch(logits)
        found = loss(PADDED, logits)
    np.testing.assert_allclose(found, OF_PADDED, rtol=1e-4)
    np.testing.assert_allclose(tf.reduce_sum(tf.abs(tape.gradient(found, logits))), 30.165, rtol=1e-4)
    np.testing.assert_allclose(tf.function(loss)(PADDED, logits), OF_PADDED, rtol=1e-4)
    for wrong in ([[1, 99, 2]] * 3, [[1, -1, 2]] * 3):
        with pytest.raises(tf.errors.InvalidArgumentError):
            loss(tf.sparse.from_dense(wrong), logits).numpy()


def test_the_blank_of_version_1_ends_the_labels():
    labels = tf.sparse.from_dense([[1, 2, 5], [2, 5, 5], [4, 3, 1]])
    np.testing.assert_allclose(tf.compat.v1.nn.ctc_loss(labels, OTHER_LOGITS, [8, 8, 7]), OF_PADDED, rtol=1e-4)
