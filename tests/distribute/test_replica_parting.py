"""Changes after which the components of a variable are equal, or the change is refused. Values are TensorFlow's."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.distribute.replica import context, number, parts

LATE = tf.VariableSynchronization.ON_READ
REDUCED = ("SUM", "MEAN")


def made(strategy, value, aggregation="NONE", **options):
    """A variable of `strategy`."""
    with strategy.scope():
        return tf.Variable(value, aggregation=tf.VariableAggregation[aggregation], **options)


def rows(value=1.0):
    """A row for the first place."""
    return tf.IndexedSlices(tf.reshape(value, [1]), [0])


@pytest.mark.parametrize("aggregation", REDUCED)
@pytest.mark.parametrize("mode", ["min", "max", "update"])
def test_rows_that_have_no_aggregate_are_refused(strategy, aggregation, mode):
    variable = made(strategy, [1.0, 2.0], aggregation)
    for change in (lambda x: strategy.run(x), lambda x: x()):
        with pytest.raises(NotImplementedError, match="NONE or `ONLY_FIRST_REPLICA` aggregation"):
            change(lambda: getattr(variable, f"scatter_{mode}")(rows()))
    assert parts(variable) == [[1.0, 2.0]] * 4


@pytest.mark.parametrize(
    ("mode", "aggregation", "wanted"),
    [
        ("mul", "SUM", [20.0, 12.0, 24.0]),
        ("mul", "MEAN", [1.25, 3.0, 6.0]),
        ("div", "SUM", [0.2, 4.0 / 3.0, 1.5]),
        ("div", "MEAN", [3.2, 16.0 / 3.0, 6.0]),
    ],
)
def test_rows_are_scaled_by_the_factors_of_all_replicas(strategy, mode, aggregation, wanted):
    variable = made(strategy, [2.0, 4.0, 6.0], aggregation)

    def step():
        place = context().replica_id_in_sync_group % 3
        factors = tf.IndexedSlices(tf.reshape(number() + 2.0, [1]), tf.reshape(place, [1]), tf.constant([3]))
        getattr(variable, f"scatter_{mode}")(factors)

    strategy.run(step)
    assert parts(variable) == [pytest.approx(wanted)] * 4


@pytest.mark.parametrize("aggregation", ["NONE", "ONLY_FIRST_REPLICA"])
def test_rows_of_the_first_replica_or_of_each(strategy, aggregation):
    variable = made(strategy, [1.0, 2.0], aggregation)
    strategy.run(lambda: variable.scatter_update(rows(number() + 5.0)))
    assert [part[0] for part in parts(variable)] == ([5.0, 6.0, 7.0, 8.0] if aggregation == "NONE" else [5.0] * 4)


@pytest.mark.parametrize("aggregation", REDUCED)
def test_elements_at_indices_have_no_aggregate(strategy, aggregation):
    variable = made(strategy, [1.0, 2.0], aggregation)
    for change in (
        lambda: variable.scatter_nd_add(tf.constant([[1]]), [1.0]),
        lambda: variable.scatter_nd_update(tf.constant([[1]]), [1.0]),
        lambda: variable.batch_scatter_update(rows()),
    ):
        with pytest.raises(NotImplementedError):
            strategy.run(change)
    assert parts(variable) == [[1.0, 2.0]] * 4


@pytest.mark.parametrize("aggregation", ["NONE", "SUM", "MEAN", "ONLY_FIRST_REPLICA"])
def test_rows_of_variables_that_are_reduced_are_refused_outside(strategy, aggregation):
    variable = made(strategy, [1.0, 2.0], aggregation, synchronization=LATE)
    for change in (
        lambda: variable.scatter_add(rows()),
        lambda: variable.scatter_update(rows()),
        lambda: variable.scatter_nd_add([[0]], [1.0]),
        lambda: variable.batch_scatter_update(rows()),
    ):
        with pytest.raises(NotImplementedError):
            change()
    assert parts(variable) == [[1.0, 2.0]] * 4


def test_parts_of_a_sum_are_not_assigned_outside(strategy):
    variable = made(strategy, [1.0, 2.0], "SUM", synchronization=LATE)
    with pytest.raises((NotImplementedError, AttributeError)):
        variable[1].assign(7.0)
    assert parts(variable) == [[1.0, 2.0]] * 4
    strategy.run(lambda: variable[1].assign(7.0))
    assert parts(variable) == [[1.0, 7.0]] * 4


def test_a_sum_is_loaded_in_equal_parts(strategy):
    variable = made(strategy, 0.0, "SUM", synchronization=LATE)
    variable.load(tf.constant(8.0))
    assert parts(variable) == [2.0] * 4
    assert variable.numpy() == 8.0


FORMS = {
    "eager": lambda strategy, step: lambda: strategy.run(step),
    "around": lambda strategy, step: tf.function(lambda: strategy.run(step)),
    "inside": lambda strategy, step: lambda: strategy.run(tf.function(step)),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_variables_made_in_replicas_are_restored_in_all_components(strategy, tmp_path, form):
    free, summed = made(strategy, [5.0, 6.0]), made(strategy, 0.0, "SUM", synchronization=LATE)
    strategy.run(lambda: summed.assign_add(number() + 1.0))
    path = tf.train.Checkpoint(module=tf.train.Checkpoint(free=free, summed=summed)).save(str(tmp_path / "c"))
    module = tf.Module()
    tf.train.Checkpoint(module=module).restore(path)

    def step():
        if not hasattr(module, "free"):
            module.free = tf.Variable([0.0, 0.0])
            module.summed = tf.Variable(0.0, synchronization=LATE, aggregation=tf.VariableAggregation.SUM)
        return module.free * (number() + 1.0), module.summed + 0.0

    run = form(strategy, step)
    for _ in range(2):
        products, sums = run()
        assert parts(products) == [[5.0 * k, 6.0 * k] for k in range(1, 5)]
        assert parts(sums) == [2.5] * 4
    assert (parts(module.free), parts(module.summed)) == ([[5.0, 6.0]] * 4, [2.5] * 4)


def test_variables_are_restored_in_a_replica(strategy, tmp_path):
    variable = made(strategy, [5.0, 6.0])
    checkpoint = tf.train.Checkpoint(v=variable)
    path = checkpoint.save(str(tmp_path / "c"))
    variable.assign([0.0, 0.0])

    def step():
        if number() == 0.0:
            checkpoint.restore(path)
        return variable * (number() + 1.0)

    assert parts(strategy.run(step)) == [[5.0 * k, 6.0 * k] for k in range(1, 5)]
    assert parts(variable) == [[5.0, 6.0]] * 4
