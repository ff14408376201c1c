"""Values of branches and loops that are not numbers: strings, objects, None."""

# `if` statements are the subject of these tests.
# ruff: noqa: ARG005, B007, SIM108

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tfcompat as tf

FLAG = tf.constant(True)


@tf.function
def names_one_string(flag: Any) -> Any:
    if flag:
        kind = "relu"
    else:
        kind = "relu"
    return (tf.ones([2]) if kind == "relu" else tf.zeros([2])), kind


@tf.function
def passes_a_string_through_a_loop(flag: Any) -> Any:
    kind, total = "sum", 0
    for i in tf.range(tf.cond(flag, lambda: 4, lambda: 3)):
        if kind == "sum":
            total += i
    return total, kind


def test_string_that_is_always_the_same_is_passed_on() -> None:
    ones, kind = names_one_string(FLAG)
    assert (ones.numpy().tolist(), kind.numpy()) == ([1.0, 1.0], b"relu")
    total, kind = passes_a_string_through_a_loop(FLAG)
    assert (total.numpy(), kind.numpy()) == (6, b"sum")
    same = tf.function(lambda i: tf.switch_case(i, [lambda: (b"a", i), lambda: ("a", -i)]))
    assert [x.numpy() for x in same(tf.constant(1))] == [b"a", -1]


def test_string_of_the_branch_that_is_known_to_be_taken() -> None:
    assert tf.function(lambda: tf.cond(tf.constant(True), lambda: "a", lambda: "b"))().numpy() == b"a"


@tf.function
def sign(x: Any) -> Any:
    if x > 0.0:
        return "up"
    return "down"


def test_string_of_the_branch_that_is_taken() -> None:
    assert [sign(tf.constant(x)).numpy() for x in (1.0, -1.0)] == [b"up", b"down"]
    switch = tf.function(lambda i: tf.switch_case(i, [lambda: "zero", lambda: "one", lambda: "two"]))
    assert [switch(tf.constant(i)).numpy() for i in (0, 1, 2, 7, -1)] == [b"zero", b"one", b"two", b"two", b"two"]
    pairs = tf.function(lambda p: tf.cond(p, lambda: {"n": ["a", "b"], "v": 1.0}, lambda: {"n": ["c", "d"], "v": 2.0}))
    found = [pairs(tf.constant(flag)) for flag in (True, False)]
    assert [[x.numpy() for x in (*one["n"], one["v"])] for one in found] == [[b"a", b"b", 1.0], [b"c", b"d", 2.0]]


def test_strings_that_branches_make_of_numbers() -> None:
    @tf.function
    def told(x: Any) -> Any:
        y = x * 3.0
        if x > 0.0:
            if x > 5.0:
                text = tf.strings.join(["more than 15: ", tf.strings.as_string(y)])
            else:
                text = tf.strings.join([tf.strings.as_string(x), " ", tf.strings.as_string(y + 1.0)])
        else:
            text = "none"
        return text, y

    found = [told(tf.constant(x))[0].numpy() for x in (9.0, 2.0, -2.0)]
    assert found == [b"more than 15: 27.000000", b"2.000000 7.000000", b"none"]


def test_program_decides_on_a_string_that_it_has_chosen(capfd: pytest.CaptureFixture[str]) -> None:
    v = tf.Variable(0.0)

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            if x > 0.0:
                mode = "double"
                v.assign_add(1.0)
            else:
                mode = "triple"
            y = x * 2.0 if mode == "double" else x * 3.0
        for i in tf.range(2):
            tf.print(i, mode, sign(x), "even" if i % 2 == 0 else "odd")
        return tape.gradient(y, x), tf.strings.length(mode)

    assert [[float(part) for part in step(tf.constant(x))] for x in (1.0, -1.0)] == [[2.0, 6.0], [3.0, 6.0]]
    assert float(v) == 1.0
    lines = ["0 double up even", "1 double up odd", "0 triple down even", "1 triple down odd", ""]
    assert capfd.readouterr().err.replace('"', "").split("\n") == lines


def renames_in_a_loop(flag: Any) -> Any:
    kind = "up"
    for i in tf.range(tf.cond(flag, lambda: 4, lambda: 3)):
        kind = "down"
    return kind


def carries_strings(flag: Any) -> Any:
    limit = tf.where(flag, 2, 0)
    return tf.while_loop(lambda i, kind: i < limit, lambda i, kind: (i + 1, "down"), [0, "up"])[1]


@pytest.mark.parametrize("function", [renames_in_a_loop, carries_strings], ids=["for", "while_loop"])
def test_strings_that_a_loop_changes(function: Callable[..., Any]) -> None:
    decorated = tf.function(function)
    assert [decorated(FLAG).numpy() for _ in range(2)] == [b"down", b"down"]


def test_rows_that_become_strings() -> None:
    @tf.function
    def named(rows: Any) -> Any:
        return tf.map_fn(lambda x: "high" if x > 1.0 else "low", rows, fn_output_signature=tf.string)

    for rows, names in (([1.0, 2.0], [b"low", b"high"]), ([3.0, 0.5, 2.0], [b"high", b"low", b"high"])):
        assert named(tf.constant(rows)).numpy().tolist() == names


class Thing:
    value = 1.0


def chooses_things(flag: Any) -> Any:
    if flag:
        thing = Thing()
    else:
        thing = Thing()
    return thing.value


def chooses_functions(flag: Any) -> Any:
    if flag:
        function = tf.nn.relu
    else:
        function = tf.nn.tanh
    return function(1.0)


def chooses_sets(flag: Any) -> Any:
    if flag:
        chosen = {1, 2}
    else:
        chosen = {1, 3}
    return len(chosen)


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (chooses_things, "Thing"),
        (chooses_functions, "function"),
        (chooses_sets, "set"),
        (lambda flag: tf.cond(flag, lambda: object(), lambda: 1.0), "object"),
        (lambda flag: tf.cond(flag, lambda: tf.float32, lambda: tf.float32), "DType"),
    ],
    ids=["object", "function", "set", "cond", "dtype"],
)
def test_branches_return_tensors(function: Callable[..., Any], kind: str) -> None:
    with pytest.raises(TypeError, match=f"found return value of type {kind}, which is not a Tensor or ExtensionType"):
        tf.function(function)(FLAG)


def test_objects_are_no_loop_variables() -> None:
    @tf.function
    def replaces(n: Any) -> Any:
        thing, total = Thing(), 0.0
        for i in tf.range(n):
            total += thing.value
            thing = Thing()
        return total

    with pytest.raises(TypeError, match=r"Failed to convert elements of .*Thing object.* to Tensor"):
        replaces(tf.constant(3))


def test_string_that_a_loop_defines_has_no_placeholder() -> None:
    @tf.function
    def names(n: Any) -> Any:
        for i in tf.range(n):
            kind = "a"
        return kind

    with pytest.raises(ValueError, match=r"'kind' must be defined before the loop(.|\n)*unsupported type 'str'"):
        names(tf.constant(3))


@pytest.mark.parametrize(
    ("one", "other", "counts"),
    [(lambda: None, lambda: 1.0, (0, 1)), (lambda: (2.0, 1.0), lambda: (None, 1.0), (2, 1))],
    ids=["alone", "among"],
)
def test_none_in_one_branch_only_is_refused(one: Any, other: Any, counts: tuple[int, int]) -> None:
    says = rf"must match\.\s*len\(graphs\[0\]\.outputs\): {counts[0]}\s*len\(graphs\[1\]\.outputs\): {counts[1]}"
    with pytest.raises(ValueError, match=f"outputs of cond {says}"):
        tf.function(lambda flag: tf.cond(flag, one, other))(FLAG)
    with pytest.raises(ValueError, match=f"outputs of case {says}"):
        tf.function(lambda flag: tf.switch_case(tf.cast(flag, tf.int32), [one, other]))(FLAG)


@pytest.mark.parametrize("pred", [[], {}, object, None], ids=repr)
def test_cond_wants_a_truth_value(pred: Any) -> None:
    with pytest.raises(ValueError, match=r"truth value|unsupported type|Unsupported object type"):
        tf.cond(pred, lambda: 1, lambda: 2)


@pytest.mark.parametrize("pred", [2, 0.0, [True, False]], ids=repr)
def test_cond_in_a_function_wants_one_boolean(pred: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"expected bool in tf\.cond|pred must be a scalar"):
        tf.function(lambda pred: tf.cond(pred, lambda: 1, lambda: 2))(tf.constant(pred))


@pytest.mark.parametrize("way", [lambda f: f, tf.function], ids=["eager", "decorated"])
def test_case_with_a_default_allows_one_true_condition_if_they_are_exclusive(way: Any) -> None:
    def first(x: Any, default: Any) -> Any:
        pairs = [(x < 0, lambda: tf.constant(1)), (x < 2, lambda: tf.constant(2))]
        return tf.case(pairs, default=default, exclusive=True)

    with_default = way(lambda x: first(x, lambda: tf.constant(9)))
    assert [int(with_default(tf.constant(x))) for x in (1, 3)] == [2, 9]
    with pytest.raises(tf.errors.InvalidArgumentError, match="more than 1 conditions"):
        with_default(tf.constant(-1)).numpy()
    assert int(way(lambda x: first(x, None))(tf.constant(-1))) == 1


def test_case_takes_what_is_alone_out_of_its_list_where_values_are_known() -> None:
    x = tf.constant(1)
    other = (x > 5, lambda: [6])
    assert tf.case([other, (x > 0, lambda: [5])]) == tf.case([other], lambda: [5]) == 5
    assert tf.case([other], lambda: [5], strict=True) == tf.case([(x > 0, lambda: [5])]) == [5]
    assert tf.case([other], lambda: [5, 6]) == [5, 6]
    assert [y.numpy() for y in tf.function(lambda x: tf.case([(x > 0, lambda: [5])]))(x)] == [5]
