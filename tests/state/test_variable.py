"""Variables: views, snapshots, copies, and assignments on tapes."""

from __future__ import annotations

import copy
import pickle

import pytest

import tfcompat as tf

REFUSED_OPERATORS = [
    ("v += 1", "`variable += value`", "`variable.assign_add(value)`", "`out = variable + value`"),
    ("v -= 1", "`variable -= value`", "`variable.assign_sub(value)`", "`out = variable * value`"),
    ("v *= 1", "`var *= value`", "`var.assign(var * value)`", "`out = var * value`"),
    ("v /= 1", "`var /= value`", "`var.assign(var / value)`", "`out = var / value`"),
    ("v **= 1", "`var **= value`", "`var.assign(var ** value)`", "`out = var ** value`"),
]


@pytest.mark.parametrize(
    ("statement", "what", "remedy", "other"), REFUSED_OPERATORS, ids=[row[0] for row in REFUSED_OPERATORS]
)
def test_operator_with_assignment_is_refused_in_tensorflows_words(statement, what, remedy, other):
    with pytest.raises(RuntimeError) as caught:
        exec(statement, {"v": tf.Variable(1.0)})
    assert str(caught.value) == (
        f"{what} with `tf.Variable`s is not supported. Use {remedy} to modify the variable, or {other} if you need to "
        "get a new output Tensor."
    )


@pytest.mark.parametrize("operator", ["//", "%"])
def test_other_operators_with_assignment_rebind(operator):
    names = {"v": tf.Variable(7.0)}
    exec(f"v {operator}= 4.0", names)
    assert isinstance(names["v"], tf.Tensor)


def test_initial_value_may_be_a_function():
    assert tf.Variable(lambda: tf.ones([2])).numpy().tolist() == [1.0, 1.0]


def test_error_of_an_initial_value_names_it():
    with pytest.raises(ValueError, match=r"^initial_value: Tensor conversion requested dtype float32"):
        tf.Variable(tf.constant(1), dtype=tf.float32)


@pytest.mark.parametrize("argument", ["caching_device", "variable_def", "import_scope"])
def test_argument_that_cannot_be_honoured_names_itself(argument):
    with pytest.raises(NotImplementedError, match=argument):
        tf.Variable(1.0, **{argument: "x"})


def test_shape_mismatch_has_tensorflows_words():
    with pytest.raises(ValueError, match="Shape mismatch") as caught:
        tf.Variable([1.0, 2.0]).assign(1.0)
    assert str(caught.value) == (
        "Cannot assign value to variable ' Variable:0': Shape mismatch.The variable shape (2,), and the assigned value "
        "shape () are incompatible."
    )


def test_assigned_is_a_view_that_follows():
    v = tf.Variable(1.0)
    view = v.assign(2.0)
    assert view is not v
    assert isinstance(view, tf.Variable)
    v.assign_add(1.0)
    view.assign_add(1.0)
    assert (float(v), float(view), view.name, v.name) == (4.0, 4.0, "UnreadVariable", "Variable:0")


def test_view_has_the_gradient_of_the_variable():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        view = v.assign([3.0, 4.0])
        y = view * view
    assert tape.gradient(y, v).numpy().tolist() == [6.0, 8.0]


@pytest.mark.parametrize(
    "assign",
    [
        lambda v, x: v.assign(x),
        lambda v, x: v.assign_add(x),
        lambda v, x: v.assign_sub(x),
        lambda v, x: v[:].assign(x),
        lambda v, x: v.scatter_add(tf.IndexedSlices(x, [0, 1])),
        lambda v, x: v.scatter_nd_update([[0], [1]], x),
    ],
    ids=["assign", "assign_add", "assign_sub", "slice", "scatter_add", "scatter_nd_update"],
)
def test_no_gradient_flows_through_an_assignment(assign):
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])
    with tf.GradientTape() as tape:
        assign(v, w * 2.0)
        y = tf.reduce_sum(v * v)
    to_v, to_w = tape.gradient(y, [v, w])
    assert to_v.numpy().tolist() == (2.0 * v).numpy().tolist()
    assert to_w is None


def test_no_gradient_flows_through_an_assigned_value_that_was_read():
    x, v = tf.constant(3.0), tf.Variable(0.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        y.numpy()
        v.assign(y)
        z = v * x
    assert float(tape.gradient(z, x)) == 9.0


def test_no_gradient_flows_into_an_initial_value():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        v = tf.Variable(x * x)
        y = v * 2.0
    assert tape.gradient(y, x) is None


def test_assignment_without_read_value_is_no_read():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        v.assign([3.0, 4.0], read_value=False)
        v.assign_add([3.0, 4.0], read_value=False)
    assert tape.watched_variables() == ()
    with tf.GradientTape() as tape:
        v.assign([3.0, 4.0])
    assert [variable.name for variable in tape.watched_variables()] == ["Variable:0"]


def test_strings_are_read_and_assigned_under_a_tape():
    v = tf.Variable(["a", "b"])
    with tf.GradientTape() as tape:
        v.assign(["c", "d"])
        value = v.read_value()
        y = tf.Variable(2.0) * 3.0
    assert value.numpy().tolist() == [b"c", b"d"]
    assert len(tape.watched_variables()) == 2
    assert float(y) == 6.0


SNAPSHOTS = [
    lambda v: v.value(),
    lambda v: v.read_value(),
    lambda v: tf.identity(v),
    lambda v: tf.convert_to_tensor(v),
    lambda v: v[:],
    lambda v: v + 0.0,
]
CHANGES = [
    lambda v: v.assign([8.0, 9.0]),
    lambda v: v.assign_add([8.0, 9.0]),
    lambda v: v.scatter_nd_update([[0]], [8.0]),
    lambda v: v[0].assign(8.0),
]


@pytest.mark.parametrize("is_taped", [False, True], ids=["untaped", "taped"])
@pytest.mark.parametrize("change", CHANGES, ids=["assign", "assign_add", "scatter_nd_update", "slice"])
@pytest.mark.parametrize("snapshot", SNAPSHOTS, ids=["value", "read_value", "identity", "convert", "slice", "plus"])
def test_what_was_read_keeps_its_value(snapshot, change, is_taped):
    v = tf.Variable([1.0, 2.0])
    if is_taped:
        with tf.GradientTape():
            before = snapshot(v)
            change(v)
    else:
        before = snapshot(v)
        change(v)
    assert before.numpy().tolist() == [1.0, 2.0]
    assert v.numpy().tolist() != [1.0, 2.0]


def test_refused_assignment_changes_nothing():
    v = tf.Variable([1.0, 2.0])
    v.assign_add([1.0, 1.0])
    for refused in ([1.0], 5.0, tf.constant([1, 2]), "a", None):
        with pytest.raises((ValueError, TypeError, tf.errors.InvalidArgumentError)):
            v.assign_add(refused)
        with pytest.raises((ValueError, TypeError)):
            v.assign(refused)
    assert v.numpy().tolist() == [2.0, 3.0]


def test_copy_is_the_variable_and_deepcopy_another():
    v = tf.Variable([1.0, 2.0], name="q", trainable=False, constraint=abs)
    own = copy.deepcopy(v)
    assert copy.copy(v) is v
    v.assign_add([1.0, 1.0])
    assert own.numpy().tolist() == [1.0, 2.0]
    assert (own.name, own.trainable, own.constraint) == ("q:0", False, abs)
    own.assign([5.0, 5.0])
    assert v.numpy().tolist() == [2.0, 3.0]


def test_deepcopy_keeps_sharing_inside_of_a_structure():
    v = tf.Variable(1.0)
    first, second = copy.deepcopy([v, v])
    assert first is second
    assert first is not v


def test_constraint_is_not_applied_by_assign():
    assert float(tf.Variable(1.0, constraint=lambda x: x * 0.0).assign(3.0)) == 3.0


def test_load_assigns():
    v = tf.Variable(1.0)
    v.load(2.0)
    assert float(v) == 2.0


def test_set_shape_closes_dimensions():
    v = tf.Variable([1, 2, 3], shape=[None])
    v.set_shape([3])
    assert v.shape == [3]
    with pytest.raises(ValueError, match="Shape mismatch"):
        v.assign([1, 2])


def test_variable_is_no_tensor_but_is_tensor():
    v = tf.Variable(1.0)
    assert not isinstance(v, tf.Tensor)
    assert tf.is_tensor(v)
    assert isinstance(v + 1.0, tf.Tensor)


def test_attributes_of_a_variable_can_be_set():
    v = tf.Variable(1.0)
    v.tag = "kept"
    v.assign(2.0)
    assert v.tag == "kept"
    with pytest.raises(AttributeError):
        v.trainable = False


def test_handle_is_one_object():
    v = tf.Variable([1.0, 2.0])
    assert v.handle is v.handle
    assert v.handle is not tf.Variable([1.0, 2.0]).handle
    assert copy.deepcopy(v).handle is not v.handle
    assert (v.handle.dtype, v.handle.shape, v.handle.device) == (tf.resource, [], v.device)
    assert pickle.loads(pickle.dumps(v)).handle is not v.handle
