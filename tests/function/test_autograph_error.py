"""Errors of converted functions have TensorFlow's classes and words, and show the user's lines."""

# Statements that fail are the subject of these tests.
# ruff: noqa: ARG001, B007, F821, SIM108

from __future__ import annotations

import traceback

import pytest

import tfcompat as tf
from tests.function.autograph_case import Refusals
from tfcompat._core.system.error import InaccessibleTensorError

case = cases = Refusals()


@case(1.0, ValueError, "'z' must also be initialized in the else branch")
def initialised_in_main_only(x):
    if x > 0:
        z = x
    return z


@case(1.0, ValueError, "'z' must also be initialized in the main branch")
def initialised_in_else_only(x):
    if x > 0:
        pass
    else:
        z = x
    return z


@case(1, TypeError, "'y' has dtype int32 in the main branch, but dtype float32 in the else branch")
def dtypes_of_branches(x):
    if x > 0:
        y = 1
    else:
        y = 1.0
    return y


@case(1, ValueError, "the else branch must also have a return statement.")
def returns_in_main_only(x):
    if x > 0:
        return x


@case(1, ValueError, "'y' is None at the end of the main branch.")
def none_in_main(x):
    if x > 0:
        y = None
    else:
        y = x
    return y


@case(1, ValueError, "'y' is None at the end of the else branch.")
def none_in_else(x):
    y = None
    if x > 0:
        y = x
    return y


@case(1, TypeError, "'y' must have the same nested structure in the main and else branches:")
def structures_of_branches(x):
    if x > 0:
        y = (x, x)
    else:
        y = x
    return y


@case(1, TypeError, "'x > 0' has dtype int32 in the main branch, but dtype float32 in the else branch")
def dtypes_of_expression(x):
    return 1 if x > 0 else 2.0


@case(1, ValueError, "'x > 0' is None at the end of the else branch.")
def none_in_expression(x):
    return 1 if x > 0 else None


@case(3, ValueError, "condition of if statement expected to be `tf.bool` scalar, got Tensor(")
def condition_of_other_dtype(x):
    if x:
        return 1
    return 0


@case([True, False], ValueError, "shape=(2,), dtype=bool); to check for None, use `is not None`")
def condition_of_two_elements(x):
    if x:
        return 1
    return 0


@case(3, ValueError, "condition of while loop expected to be `tf.bool` scalar, got Tensor(")
def loop_condition_of_other_dtype(x):
    while x:
        x -= 1
    return x


@case(
    *(1, ValueError),
    "'s' has shape (1,) before the loop, but shape (2,) after one iteration. Use "
    "tf.autograph.experimental.set_loop_options to set shape invariants.",
)
def shape_changes_in_loop(x):
    s = tf.zeros([1])
    for i in tf.range(x):
        s = tf.concat([s, s], 0)
    return s


@case(1, TypeError, "'s' has dtype int32 before the loop, but dtype float32 after one iteration")
def dtype_changes_in_loop(x):
    s = 0
    for i in tf.range(x):
        s = tf.cast(s, tf.float32) + 1.5
    return s


@case(1, ValueError, "'s' is None at the end of the iteration.")
def none_after_iteration(x):
    s = 1
    for i in tf.range(x):
        s = None
    return s


@case(
    *(1, ValueError),
    "'s' must be defined before the loop\n    Note: AutoGraph tried to define it automatically, but ran into a "
    "UnboundLocalError: 's' is used before assignment",
)
def undefined_before_loop(x):
    for i in tf.range(x):
        s = s + i
    return s


@case(1, TypeError, "'s' does not have the same nested structure after one iteration.")
def structure_changes_in_loop(x):
    s = (1, 2)
    for i in tf.range(x):
        s = (1, 2, 3)
    return s


@case(
    *(3, ValueError),
    "'v' has shape (1,) before the loop, which does not conform with the shape invariant (2,).",
)
def shape_invariant_of_another_shape(x):
    v = tf.zeros([1])
    for i in tf.range(x):
        tf.autograph.experimental.set_loop_options(shape_invariants=[(v, tf.TensorShape([2]))])
        v = tf.concat([v, [1.0]], 0)
    return v


@case(
    *(3, NotImplementedError),
    "a return statement cannot be placed inside this TensorFlow loop; this may happen if a return statement depends on "
    "a static Python condition such as a hyperparameter",
)
def returns_from_loop(x):
    for i in tf.range(10):
        if i * i > x:
            return i
    return -1


@case(
    *(3, NotImplementedError),
    "break and return statements which depend on a TF condition are not supported in Python for loops. Did you intend "
    "to make it a TF loop?",
)
def breaks_from_python_loop(x):
    for i in range(5):
        if x > i:
            break
    return x


@case(3, NotImplementedError, "The condition of while loop started as non-Tensor, then changed to Tensor.")
def condition_becomes_tensor(x):
    go = True
    while go:
        go = x > 5
    return x


@case(3, NotImplementedError, "The condition of while loop started as non-Tensor, then changed to Tensor.")
def breaks_from_endless_loop(x):
    i = 0
    while True:
        i += 1
        if i >= x:
            break
    return i


@case([1, 2], tf.errors.OperatorNotAllowedInGraphError, "Iterating over a symbolic `tf.Tensor` is not allowed")
def comprehension(xs):
    return [x for x in xs]  # noqa: C416


@case([1, 2], tf.errors.OperatorNotAllowedInGraphError, "Iterating over a symbolic `tf.Tensor` is not allowed")
def enumerates(xs):
    total = 0
    for i, x in enumerate(xs):
        total += i * x
    return total


@case([[1, 2], [3, 4]], tf.errors.OperatorNotAllowedInGraphError, "Iterating over a symbolic `tf.Tensor`")
def unpacks_rows(xs):
    total = 0
    for a, b in xs:
        total += a * b
    return total


@case(1, tf.errors.OperatorNotAllowedInGraphError, "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed")
def asserts(x):
    assert x > 0
    return x


@case([2, 1], tf.errors.OperatorNotAllowedInGraphError, "Iterating over a symbolic `tf.Tensor` is not allowed")
def largest(xs):
    return max(xs)


@case(1, ValueError, "len requires a non-scalar tensor, got one of shape")
def length_of_scalar(x):
    return len(x)


@case(1, ValueError, "len requires a non-scalar tensor, got one of shape")
def loops_over_scalar(x):
    total = 0
    for item in x:
        total += item
    return total


@case(1, InaccessibleTensorError, "is out of scope and cannot be used here", is_located=False)
def appends_in_loop(x):
    items = []
    for i in tf.range(x):
        items.append(i)
    return items


@case(1, InaccessibleTensorError, "is out of scope and cannot be used here", is_located=False)
def appends_in_branch(x):
    items = []
    if x > 0:
        items.append(x)
    else:
        items.append(-x)
    return items


@case([1, 2], InaccessibleTensorError, "is out of scope and cannot be used here")
def uses_an_element_that_was_mapped(xs):
    items = []

    def double(x):
        items.append(x * 2)
        return x

    return tf.map_fn(double, xs) + items[0]


@case(1, InaccessibleTensorError, "is out of scope and cannot be used here")
def uses_what_a_branch_has_made(x):
    items = []
    if x > 0:
        items.append(x * 2)
    if x > 1:
        x += items[0]
    return x


@case(1, InaccessibleTensorError, "is out of scope and cannot be used here")
def uses_what_leaves_a_function(x):
    items = []

    @tf.function
    def inner(x):
        items.append(x * 2)
        return x

    return inner(x) + items[0]


class Plain(Exception):
    pass


class OfValueError(ValueError):
    pass


@case(1, ValueError, "ValueError: mine")
def raises_value_error(x):
    raise ValueError("mine")


@case(1, Plain, "Plain: mine")
def raises_plain(x):
    raise Plain("mine")


@case(1, KeyError, "KeyError: 'k'")
def raises_key_error(x):
    return {}["k"]


@case(1, NameError, "NameError: name 'absent' is not defined")
def raises_name_error(x):
    return absent


@case(1, UnboundLocalError, "UnboundLocalError: 'y' is used before assignment")
def raises_unbound(x):
    if False:
        y = 1
    return y


@pytest.mark.parametrize("one", cases, ids=str)
def test_function_refuses_as_tensorflow_does(one):
    with pytest.raises(one.error) as caught:
        one.in_function()
    assert type(caught.value) is one.error or one.error is KeyError
    text = str(caught.value)
    assert one.says in text, text
    if one.is_located:
        assert text.startswith(f'in user code:\n\n    File "{__file__}", line ')
        assert f"in {one.function.__name__}  *\n" in text


def test_op_that_refuses_its_arguments_raises_value_error():
    @tf.function
    def adds(x):
        return x + tf.constant([1.0, 2.0, 3.0])

    with pytest.raises(ValueError, match=r"in adds  \*\n.*\n\n    ValueError: tf.add: shapes must broadcast"):
        adds(tf.constant([1.0, 2.0]))


@pytest.mark.parametrize("error", [OfValueError("x"), IndexError("x"), ZeroDivisionError("x")], ids=repr)
def test_class_that_is_not_made_from_a_text_becomes_staging_error(error):
    @tf.function
    def raising():
        raise error

    with pytest.raises(Exception, match=f"{type(error).__name__}: x") as caught:
        raising()
    assert type(caught.value).__name__ == "StagingError"


def called(x):
    if x > 0:
        raise ValueError("deep")
    return x


@tf.function
def calls(x):
    y = x + 1
    return called(y)


def test_message_and_traceback_show_the_lines_of_each_function():
    with pytest.raises(ValueError, match="deep") as caught:
        calls(tf.constant(1.0))
    lines = str(caught.value).splitlines()
    first = called.__code__.co_firstlineno
    assert lines[2:6] == [
        f'    File "{__file__}", line {first + 9}, in calls  *',
        "        return called(y)",
        f'    File "{__file__}", line {first + 2}, in called  *',
        '        raise ValueError("deep")',
    ]
    frames = traceback.extract_tb(caught.tb)
    assert {frame.filename for frame in frames[-3:]} == {__file__}
    assert [(frame.name, frame.lineno - first) for frame in frames[-3:]] == [("calls", 9), ("called", 1), ("called", 2)]


def test_message_of_nested_functions_is_one():
    @tf.function
    def inner(x):
        raise ValueError("deep")

    @tf.function
    def outer(x):
        return inner(x)

    with pytest.raises(ValueError, match="deep") as caught:
        outer(tf.constant(1.0))
    text = str(caught.value)
    assert text.count("in user code:") == 1
    assert text.index("in outer  *") < text.index("in inner  *")


def test_loop_that_defines_a_name_must_run():
    @tf.function
    def defines(n):
        while n < 3:
            s = n
            n += 1
        return s

    assert defines(tf.constant(1)).numpy() == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="Assert"):
        print(defines(tf.constant(5)))
