"""Updates of all components of a variable, in replicas and elsewhere. Expected values are TensorFlow's."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.distribute.replica import FORMS, context, forms, number, parts

D = tf.distribute
keras = tf.keras


@pytest.fixture
def variable(strategy):
    with strategy.scope():
        return tf.Variable(1.0)


@pytest.fixture
def update(strategy):
    return strategy.extended.update


def held(variable):
    """The values of the components."""
    return [component.numpy().tolist() for component in variable.values]


def plain(value):
    """The structure `value` with numbers for tensors; of distributed values, a list."""
    if isinstance(value, D.DistributedValues):
        return [plain(part) for part in value.values]
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return value.numpy().tolist() if hasattr(value, "numpy") else value


def test_update_calls_the_function_for_each_component(strategy, variable, update):
    seen = []

    def assign(component, x):
        assert (D.has_strategy(), D.in_cross_replica_context(), D.get_strategy()) == (True, True, strategy)
        seen.append(component.name)
        return component.assign(x)

    given = strategy.run(number)
    assert parts(update(variable, assign, args=(given,))) == [0.0, 1.0, 2.0, 3.0]
    assert parts(update(variable, assign, kwargs={"x": given})) == [0.0, 1.0, 2.0, 3.0]
    assert len(update(variable, assign, args=(2.0,), group=False)) == len(set(seen)) == 4
    assert held(variable) == [2.0] * 4
    assert variable.values[0].handle._distributed_container() is variable


def test_results_that_are_not_grouped_have_a_tuple_for_each_leaf(variable, update):
    def step(component):
        return {"a": component + 1.0, "b": (component.assign_add(1.0), 3, None)}

    assert plain(update(variable, step)) == {"a": [2.0] * 4, "b": ([2.0] * 4, 3, None)}
    found = update(variable, step, group=False)
    assert plain(found) == {"a": (3.0,) * 4, "b": ((3.0,) * 4, (3,), (None,))}


def test_results_that_are_no_tensors_have_no_group(variable, update):
    assert update(variable, lambda component: component.name) is None
    names = update(variable, lambda component: component.name, group=False)
    assert len(names) == len(set(names)) == 4
    assert update(variable, lambda component: component) is variable
    assert update(variable, lambda _: None, group=False) == (None,)


def test_updates_within_an_update(variable, strategy, update):
    with strategy.scope():
        inner = tf.Variable(2.0)

    def step(component):
        update(inner, lambda each: each.assign_add(1.0))
        return component.assign_add(10.0)

    assert parts(update(variable, step)) == [11.0] * 4
    assert held(inner) == [6.0] * 4


@forms
def test_replicas_meet_for_an_update(strategy, variable, update, form):
    def step():
        return update(variable, lambda component, x: component.assign_add(x), args=(number() + 1.0,))

    assert parts(form(strategy, step)) == held(variable) == [2.0, 3.0, 4.0, 5.0]


@forms
def test_replicas_receive_all_results_that_are_not_grouped(strategy, variable, update, form):
    def step():
        return update(variable, lambda component, x: component.assign(x), args=(number(),), group=False)

    assert plain(form(strategy, step)) == (0.0, 1.0, 2.0, 3.0)
    assert held(variable) == [0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize("form", ["around", "inside"])
def test_updates_in_control_flow_are_refused(strategy, variable, update, form):
    def step():
        return tf.cond(number() > -1.0, lambda: update(variable, lambda x: x.assign_add(1.0)) + 0.0, lambda: 0.0)

    with pytest.raises(RuntimeError, match="merge_call"):
        FORMS[form](strategy, step)
    assert held(variable) == [1.0] * 4


def test_updates_of_other_variables_are_refused(strategy, variable, update):
    other = D.OneDeviceStrategy("CPU:0")
    with pytest.raises(AssertionError):
        update(tf.Variable(1.0), lambda component: component.assign(2.0))
    with other.scope(), pytest.raises(RuntimeError, match="Mixing different"):
        update(variable, lambda component: component.assign(2.0))
    with pytest.raises(RuntimeError, match="cross-replica context"):
        strategy.run(lambda: strategy.extended.update_non_slot(strategy.extended.worker_devices, number))


@pytest.mark.parametrize("group", [True, False])
def test_updates_of_no_variable(strategy, group):
    given = strategy.run(number)
    update = strategy.extended.update_non_slot
    found = update(strategy.extended.worker_devices, lambda x: (x + 1.0, 3), args=(given,), group=group)
    values = [1.0, 2.0, 3.0, 4.0]
    assert plain(found) == ((values, 3) if group else (tuple(values), (3,)))


def averaged(strategy):
    """A variable, and an optimizer that replaces it by its average at every second step."""
    with strategy.scope():
        variable = tf.Variable([1.0, 2.0])
        optimizer = keras.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.5, ema_overwrite_frequency=2)
        optimizer.build([variable])

    def step():
        optimizer.apply_gradients([(tf.ones([2]) * (number() + 1.0), variable)])

    return variable, optimizer, step


def test_averages_of_variables_replace_all_components(strategy):
    variable, optimizer, step = averaged(strategy)
    for _ in range(4):
        strategy.run(step)
    for value in (variable, optimizer.variables[2].value):
        for component in held(value):
            assert component == pytest.approx([-1.75, -0.75])


@pytest.mark.parametrize("form", ["around", "inside"])
def test_averages_are_not_written_in_decorated_steps(strategy, form):
    variable, _, step = averaged(strategy)
    with pytest.raises(RuntimeError, match="merge_call"):
        FORMS[form](strategy, step)
    assert held(variable) == [[1.0, 2.0]] * 4
    assert context().num_replicas_in_sync == 1
