"""`tf.train.ExponentialMovingAverage`."""

from __future__ import annotations

import pytest

import tfcompat as tf

Average = tf.train.ExponentialMovingAverage


def test_averages_follow_variables():
    weights = tf.Variable([1.0, 2.0], name="w")
    averages = Average(0.9)
    assert averages.average(weights) is None
    averages.apply([weights])
    average = averages.average(weights)
    assert average.numpy().tolist() == [1.0, 2.0]
    assert not average.trainable
    weights.assign([3.0, 4.0])
    averages.apply([weights])
    assert averages.average(weights) is average
    assert average.numpy().tolist() == pytest.approx([1.2, 2.2])


def test_names():
    weights = tf.Variable(1.0, name="layer/w")
    averages = Average(0.9)
    averages.apply([weights])
    assert averages.name == "ExponentialMovingAverage"
    assert averages.average(weights).name == "layer/w/ExponentialMovingAverage:0"
    assert averages.average_name(weights) == "layer/w/ExponentialMovingAverage"
    assert Average(0.5, name="Mean").average_name(weights) == "layer/w/Mean"
    restored = averages.variables_to_restore([weights])
    assert list(restored) == ["layer/w/ExponentialMovingAverage"]
    assert restored["layer/w/ExponentialMovingAverage"] is weights


@pytest.mark.parametrize(
    ("options", "found"), [({}, 2.03), ({"num_updates": 3}, 4.0769234), ({"zero_debias": True}, 2.03)]
)
def test_decay(options, found):
    variable = tf.Variable(2.0)
    averages = Average(0.99, **options)
    averages.apply([variable])
    variable.assign(5.0)
    averages.apply([variable])
    assert averages.average(variable).numpy() == pytest.approx(found)


def test_number_of_steps_in_a_variable():
    step, variable = tf.Variable(0, dtype=tf.int64), tf.Variable(0.0, dtype=tf.float64)
    averages = Average(0.999, num_updates=step)
    found = []
    for value in (1.0, 2.0, 3.0):
        averages.apply([variable])
        found.append(averages.average(variable).numpy().item())
        step.assign_add(10)
        variable.assign(value)
    averages.apply([variable])
    found.append(averages.average(variable).numpy().item())
    assert found == pytest.approx([0.0, 0.45, 0.915, 1.384125], rel=1e-6)


def test_functions_make_and_update_averages():
    variable = tf.Variable(1.0)
    averages = Average(0.5)

    @tf.function
    def step():
        variable.assign_add(1.0)
        averages.apply([variable])
        return averages.average(variable)

    assert [step().numpy().item() for _ in range(3)] == [1.5, 2.25, 3.125]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: [tf.Variable(1)], "must be half, float, or double"),
        (lambda: [tf.Variable(1j)], "must be half, float, or double"),
        (lambda: [tf.constant(1.0)], "does not support non-Variable tensors"),
        (lambda: tf.Variable([1.0, 2.0]), "does not support non-Variable tensors"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(TypeError, match=message):
        Average(0.9).apply(make())


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_dtypes(dtype):
    variable = tf.Variable(1.0, dtype=dtype)
    averages = Average(0.5)
    averages.apply([variable])
    variable.assign(2.0)
    averages.apply([variable])
    assert averages.average(variable).dtype == dtype
    assert float(tf.cast(averages.average(variable), tf.float32)) == 1.5
    assert averages.apply() is None
