"""Candidates from seeds: the classes that TensorFlow draws. Literals are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

TRUE = tf.constant([[1, 5], [3, 9]], tf.int64)
UNIGRAMS = [1.0, 2, 3, 4, 5, 6, 7, 8, 9, 10]


@pytest.fixture(autouse=True)
def _seed():
    tf.random.set_seed(None)  # other tests may have left a seed
    yield
    tf.random.set_seed(None)


def drawn(sampler, *args, **options):
    return sampler(TRUE, 2, *args, **options)


def test_classes_of_a_global_seed():
    tf.random.set_seed(7)
    draw = tf.random
    found = [
        drawn(draw.uniform_candidate_sampler, 4, True, 10),
        drawn(draw.log_uniform_candidate_sampler, 5, True, 10),
        drawn(draw.fixed_unigram_candidate_sampler, 4, True, 10, unigrams=UNIGRAMS),
        drawn(draw.fixed_unigram_candidate_sampler, 4, True, 11, "", 0.75, 1, unigrams=UNIGRAMS),
        drawn(draw.uniform_candidate_sampler, 4, True, 10),
        drawn(draw.log_uniform_candidate_sampler, 5, True, 10),
        drawn(draw.fixed_unigram_candidate_sampler, 4, True, 10, unigrams=UNIGRAMS),
    ]
    want = [[4, 5, 6, 9], [0, 2, 4, 3, 6], [4, 9, 7, 8], [9, 3, 10, 6], [0, 7, 6, 5], [0, 6, 1, 2, 8], [4, 3, 6, 8]]
    assert [sample.sampled_candidates.numpy().tolist() for sample in found] == want
    assert np.allclose(found[0].sampled_expected_count, 0.40951002)
    assert np.allclose(found[1].true_expected_count, [[0.670908, 0.32878873], [0.44348505, 0.21600579]])
    assert np.allclose(found[2].true_expected_count, [[0.19928293, 0.49996507], [0.36431068, 0.7000154]])
    assert np.allclose(found[3].sampled_expected_count, [0.59645337, 0.26165897, 0.6454976, 0.44005615])


def test_classes_that_may_repeat():
    tf.random.set_seed(7)
    assert drawn(tf.random.uniform_candidate_sampler, 4, False, 10)[0].numpy().tolist() == [4, 5, 6, 6]
    sample = drawn(tf.random.log_uniform_candidate_sampler, 5, False, 10)
    assert sample.sampled_candidates.numpy().tolist() == [0, 2, 4, 3, 0]
    assert np.allclose(sample.sampled_expected_count, [1.4453242, 0.5998637, 0.38017, 0.46529043, 1.4453242])
    sample = drawn(tf.random.fixed_unigram_candidate_sampler, 4, False, 10, unigrams=UNIGRAMS)
    assert sample.sampled_candidates.numpy().tolist() == [4, 4, 9, 7]


def test_op_seed_goes_on_at_the_next_call():
    tf.random.set_seed(7)
    sampler = tf.random.uniform_candidate_sampler
    found = [drawn(sampler, 4, True, 10, seed=3)[0].numpy().tolist() for _ in range(2)]
    assert found == [[1, 8, 2, 0], [7, 9, 0, 3]]
    sample = drawn(tf.random.log_uniform_candidate_sampler, 4, True, 1000, seed=3)
    assert sample[0].numpy().tolist() == [3, 25, 804, 0]


def test_losses_draw_from_the_seed():
    random = np.random.RandomState(0)
    weights, biases, inputs = (random.randn(*shape).astype(np.float32) for shape in ((10, 3), (10,), (2, 3)))
    tf.random.set_seed(5)
    for want in ([2.9601429, 13.062422], [2.8932056, 8.653324]):
        assert np.allclose(tf.nn.nce_loss(weights, biases, TRUE, inputs, 4, 10, 2), want, rtol=1e-5)
    found = tf.nn.sampled_softmax_loss(weights, biases, TRUE, inputs, 4, 10, 2, seed=3)
    assert np.allclose(found, [3.9254637, 5.7164507], rtol=1e-5)


def test_weights_of_a_file(tmp_path):
    path = tmp_path / "vocabulary.txt"
    path.write_text("".join(f"word {k},{weight}\n" for k, weight in enumerate(UNIGRAMS)))
    tf.random.set_seed(7)
    first = drawn(tf.random.fixed_unigram_candidate_sampler, 4, True, 10, str(path))
    tf.random.set_seed(7)
    second = drawn(tf.random.fixed_unigram_candidate_sampler, 4, True, 10, unigrams=UNIGRAMS)
    assert first[0].numpy().tolist() == second[0].numpy().tolist()


def test_shards_share_the_classes():
    sampler = tf.random.fixed_unigram_candidate_sampler
    sample = sampler([[0, 4]], 2, 5, True, 5, num_shards=2, shard=1, unigrams=UNIGRAMS)
    assert sorted(sample[0].numpy().tolist()) == [0, 1, 2, 3, 4]
    one = sampler([[0, 4]], 2, 1, False, 5, num_shards=2, shard=1, unigrams=UNIGRAMS)
    assert np.allclose(one.true_expected_count, [[2 / 30, 10 / 30]])


def test_unigram_sampler_checks_its_weights():
    sampler = tf.random.fixed_unigram_candidate_sampler
    with pytest.raises(tf.errors.InvalidArgumentError, match="range_max=9 weights"):
        drawn(sampler, 4, True, 9, unigrams=UNIGRAMS)
    with pytest.raises(tf.errors.InvalidArgumentError, match="either vocab_file or unigrams"):
        drawn(sampler, 4, True, 9)


def test_functions_draw_at_every_call():
    @tf.function
    def draw():
        return drawn(tf.random.log_uniform_candidate_sampler, 8, True, 1000)[0]

    tf.random.set_seed(1)
    first, second = draw().numpy(), draw().numpy()
    assert first.tolist() != second.tolist()
    assert len(set(first.tolist())) == 8
    tf.random.set_seed(1)
    assert draw().numpy().tolist() == first.tolist()


def test_many_distinct_classes():
    sample = tf.random.uniform_candidate_sampler([[0]], 1, 50, True, 50)
    assert sorted(sample[0].numpy().tolist()) == list(range(50))
    assert 0 < float(sample.true_expected_count[0, 0]) <= 1


def test_learned_sampler_is_refused():
    with pytest.raises(NotImplementedError, match="fixed_unigram"):
        tf.random.learned_unigram_candidate_sampler(TRUE, 2, 4, True, 10)


def test_classes_with_weights_in_a_function():
    def draw(seed):
        true = tf.constant([[1, 2]], tf.int64)
        sampler = tf.random.fixed_unigram_candidate_sampler
        return sampler(true, 2, 3, True, 5, unigrams=[0.1, 0.2, 0.3, 0.2, 0.2], seed=seed)[0]

    tf.random.set_seed(7)
    seeded = tf.function(lambda: draw(3))
    assert [seeded().numpy().tolist() for _ in range(3)] == [[3, 2, 1], [3, 1, 4], [1, 4, 2]]
    tf.random.set_seed(7)
    mixed = tf.function(lambda: (tf.random.uniform([1]), draw(None), tf.random.uniform([1])))
    found = [[x.numpy().tolist() for x in mixed()] for _ in range(2)]
    assert [classes for _, classes, _ in found] == [[1, 3, 4], [0, 1, 3]]
    np.testing.assert_allclose([[a, b] for (a,), _, (b,) in found], [[0.7537, 0.28], [0.5876, 0.7689]], atol=1e-4)


def test_ops_whose_result_is_certain_take_numbers_of_the_global_seed():
    def number_after(call):
        tf.random.set_seed(7)
        call()
        return round(float(tf.random.uniform([])), 5)

    def lost(loss, **options):
        weights = tf.ones([10, 3])
        return loss(weights, tf.zeros([10]), TRUE, weights[:2], 4, 10, 2, **options)

    tf.random.set_seed(7)
    numbers = [round(float(tf.random.uniform([])), 5) for _ in range(3)]
    hits, nce, softmax = tf.nn.compute_accidental_hits, tf.nn.nce_loss, tf.nn.sampled_softmax_loss
    sampled = tf.constant([1, 2], tf.int64)
    calls = [
        lambda: hits(TRUE, sampled, 2, seed=3),
        lambda: hits(TRUE, sampled, 2),
        lambda: drawn(tf.random.all_candidate_sampler, 10, True),
        lambda: lost(nce),
        lambda: lost(nce, remove_accidental_hits=True),
        lambda: lost(softmax, seed=3),
        lambda: lost(softmax, seed=3, remove_accidental_hits=False),
    ]
    assert [numbers.index(number_after(call)) for call in calls] == [0, 1, 1, 1, 2, 1, 0]

    @tf.function
    def traced():
        lost(softmax)
        return tf.random.uniform([])

    assert number_after(lambda: None) == numbers[0]
    assert round(float(traced()), 5) == 0.28001
