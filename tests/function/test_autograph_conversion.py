"""AutoGraph's conversion: its scope, its frequency, and the converted code."""

from __future__ import annotations

import contextlib
import io
import logging
import random
import signal

import numpy as np
import pytest

import tfcompat as tf
from tfcompat import autograph
from tfcompat._function.autograph import converted, converted_within
from tfcompat._function.autograph.call import TRANSPILER
from tfcompat._function.autograph.conversion import options_of
from tfcompat._function.autograph.rule import is_library
from tfcompat._function.rows.map import map_fn

Feature = autograph.experimental.Feature


def magnitude(x):
    if x > 0:
        return x
    return -x


def test_code_is_what_tensorflow_writes():
    code = autograph.to_code(magnitude)
    assert code.startswith("def tf__magnitude(x):\n    with ag__.FunctionScope('magnitude', 'fscope', ")
    assert "ag__.if_stmt(ag__.ld(x) > 0, if_body, else_body, get_state, set_state, ('do_return', 'retval_'), 2)" in code
    assert code.rstrip().endswith("return fscope.ret(retval_, do_return)")


def test_code_of_what_is_no_function_is_refused():
    for entity in (3, tf.function(magnitude), dict):
        with pytest.raises(Exception, match="Cannot apply autograph to a function that doesn't expose") as caught:
            autograph.to_code(entity)
        assert type(caught.value).__name__ == "ConversionError"


def test_graph_works_on_python_values_and_on_tensors():
    made = autograph.to_graph(magnitude)
    assert made(-2) == 2
    assert made(tf.constant(-2)).numpy() == 2
    assert made.__name__ == "tf__magnitude"
    assert autograph.to_graph(lambda x: x if x > 0 else -x)(tf.constant(-3)).numpy() == 3


def test_function_is_rewritten_once():
    def fresh(x):
        return magnitude(x)

    options = options_of(None)
    first = TRANSPILER.rewritten(fresh, options)
    assert TRANSPILER.rewritten(fresh, options).__code__ is first.__code__
    assert converted(fresh)(3) == 3


def test_closure_is_shared_with_the_original():
    count = 0

    def counts(x):
        nonlocal count
        count += 1
        return x

    assert converted(counts)(5) == 5
    assert count == 1


def test_defaults_are_kept():
    def scaled(x, factor=3, *, offset=1):
        return x * factor + offset

    assert converted(scaled)(2) == 7
    assert converted(scaled)(2, 5, offset=0) == 10


def test_python_values_stay_python():
    def mixes(x, flag):
        kept = []
        for name in ("a", "b"):
            if flag and name == "b":
                kept.append(name)
            while len(kept) < 2:
                kept.append(x if not flag else name)
        return kept

    assert converted(mixes)(1, True) == ["a", "a", "b"]
    assert converted(mixes)(1, False) == [1, 1]


def test_generator_runs_as_it_is():
    def numbers(n):
        yield from range(n)

    def total(n):
        return sum(numbers(n))

    assert converted(total)(4) == 6


def test_do_not_convert_leaves_control_flow_alone():
    @autograph.experimental.do_not_convert
    def decides(x):
        return x if x > 0 else -x

    @autograph.experimental.do_not_convert()
    def passes(x):
        return magnitude(x)

    assert decides.__name__ == "decides"
    assert decides(-3) == 3
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="Using a symbolic"):
        tf.function(lambda x: decides(x))(tf.constant(1))
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="Using a symbolic"):
        tf.function(lambda x: passes(x))(tf.constant(1))


def test_function_of_a_function_converts_within_what_is_not_converted():
    staged = tf.function(magnitude)

    @autograph.experimental.do_not_convert
    def passes(x):
        return staged(x)

    assert passes(tf.constant(-3)).numpy() == 3


@pytest.mark.parametrize(
    "function",
    [tf.add, tf.reduce_sum, np.testing.assert_allclose, random.choice, contextlib.suppress.__exit__, logging.info],
    ids=lambda function: function.__name__,
)
def test_library_runs_as_it_is(function):
    assert is_library(function)


def test_wrapper_of_a_library_runs_as_it_is():
    assert is_library(tf.custom_gradient(magnitude))
    assert is_library(tf.function(magnitude))
    assert not is_library(magnitude)


def test_source_that_is_not_found_is_told_once(caplog):
    space = {}
    exec(compile("def decides(x):\n  return x if x else 1\n", "/absent/file.py", "exec"), space)

    def calls(x):
        return space["decides"](x)

    for _ in range(2):
        assert converted(calls)(0) == 1
    assert len(caplog.records) == 1
    message = caplog.records[0].getMessage()
    assert message.startswith("AutoGraph could not transform <function decides at ")
    assert "and will run it as-is.\nCause: Unable to locate the source code of <function decides" in message
    assert message.endswith("decorate the function with @tf.autograph.experimental.do_not_convert")


def test_exception_of_a_signal_handler_is_raised_and_the_function_is_rewritten(monkeypatch):
    class Late(Exception):
        pass

    def late(*_):
        raise Late

    def signalled(*args):
        signal.raise_signal(signal.SIGUSR1)
        return rewritten(*args)

    @tf.function
    def sign(x):
        return 1 if x > 0 else -1

    rewritten = TRANSPILER.transform_ast
    before = signal.signal(signal.SIGUSR1, late)
    try:
        monkeypatch.setattr(TRANSPILER, "transform_ast", signalled)
        with pytest.raises(Late):
            sign(tf.constant(2.0))
        monkeypatch.undo()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert sign(tf.constant(2.0)).numpy() == 1
    assert sign(tf.constant(-2.0)).numpy() == -1


def test_statement_that_is_not_supported_is_told(caplog):
    def searches(x):
        for i in range(3):
            if i == x:
                break
        else:
            i = -1
        return i

    assert converted(searches)(1) == 1
    assert "Cause: for/else statement not yet supported" in caplog.text


def places_of(letter, text):
    start, places = 0, []
    while (place := text.find(letter, start)) >= 0:
        places.append(place)
        start = place + 1
    return places


def both(x):
    y = 0
    if x > 0 and (y := 5) > 3:
        x += 1
    return x + y


def decides_while_it_names(x):
    if (y := x * 2) > 1:
        return y
    return x


def rank_of(shape):
    match list(shape):
        case []:
            return 0
        case [_, *rest]:
            return 1 + rank_of(rest)


def test_names_bound_in_expressions_and_patterns_are_not_lost(caplog):
    assert converted(lambda: places_of("a", "banana"))() == [1, 3, 5]
    assert converted(both)(1) == 7
    assert converted(rank_of)([2, 3]) == 2
    assert "Cause: assignment expressions are not supported: (place := text.find(letter, start))" in caplog.text
    assert "Cause: match statements are not supported: match list(shape)" in caplog.text
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="as a Python `bool`"):
        tf.function(decides_while_it_names)(tf.constant(1))


def test_dynamic_code_runs_as_it_is(caplog):
    space = {}
    exec("def decides(x):\n  return x if x else 1\n", space)
    assert converted(space["decides"])(0) == 1
    assert not caplog.records


def test_locals_globals_and_eval_see_the_function_that_calls_them():
    def looks(x):
        y = x + 1
        return locals()["y"], eval("y * 2"), globals()["magnitude"] is magnitude

    assert converted(looks)(2) == (3, 6, True)


def test_function_given_to_the_library_is_rewritten_where_its_caller_is():
    def hands_over(x):
        return converted_within(magnitude)(x)

    assert converted_within(magnitude) is magnitude
    found = converted(lambda: converted_within(magnitude))()
    assert found is not magnitude
    assert converted(hands_over)(-4) == 4


def test_function_that_is_mapped_is_rewritten():
    @tf.function
    def maps(xs):
        return map_fn(magnitude, xs)

    assert maps(tf.constant([1, -2])).numpy().tolist() == [1, 2]


def test_python_effects_happen_while_both_branches_are_traced():
    seen = []

    @tf.function
    def both(x):
        if x > 0:
            seen.append("main")
        else:
            seen.append("else")
        return x

    both(tf.constant(1.0))
    both(tf.constant(-1.0))
    assert sorted(seen) == ["else", "main"]


def test_print_is_pythons():
    @tf.function
    def tells(x):
        print("traced", x)
        return x

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        tells(tf.constant(1.0))
        tells(tf.constant(2.0))
    assert out.getvalue().startswith("traced Tensor(")
    assert out.getvalue().count("traced") == 1


def test_trace_prints_while_tracing(capsys):
    autograph.trace("a", 1)
    assert capsys.readouterr().out == "a 1\n"


def test_verbosity_tells_what_is_rewritten(caplog):
    def fresh(x):
        return x

    caplog.set_level(logging.INFO)
    autograph.set_verbosity(10)
    try:
        converted(fresh)(1)
    finally:
        autograph.set_verbosity(0)
    assert "fresh" in caplog.text


def test_features_ask_for_more():
    def asserts(x):
        assert x > 0, "must be positive"
        return x

    def writes(x):
        x[1] = 10.0
        return x

    def call(function, feature, *args):
        return converted(function, feature)(*args)

    assert call(asserts, Feature.ALL, 1) == 1
    with pytest.raises(AssertionError, match="must be positive"):
        call(asserts, (Feature.ASSERT_STATEMENTS,), -1)
    assert call(writes, Feature.LISTS, tf.constant([1.0, 2.0])).numpy().tolist() == [1.0, 10.0]
    assert call(writes, Feature.LISTS, [1.0, 2.0]) == [1.0, 10.0]
    assert call(lambda x: x == x, Feature.EQUALITY_OPERATORS, tf.constant([1, 2])).numpy().tolist() == [True, True]
    assert call(lambda x: x != 3, Feature.EQUALITY_OPERATORS, 4)


def test_variables_are_assigned_in_loops_and_branches():
    v = tf.Variable(0.0)

    @tf.function
    def counts(x):
        while v < x:
            v.assign_add(1.0)
        if v > 2.0:
            v.assign(v * 10.0)
        return v + 0.0

    assert counts(tf.constant(4.0)).numpy() == 40.0
    assert v.numpy() == 40.0
    v.assign(0.0)
    assert counts(tf.constant(2.0)).numpy() == 2.0


def test_known_tensors_are_staged_too():
    ends = tf.constant(3)

    @tf.function
    def uses():
        total = 0
        for i in tf.range(ends):
            total += i
        if tf.constant(True):
            total += 100
        return total

    assert uses().numpy() == 103


def test_gradients_flow_through_branches_and_loops():
    @tf.function
    def powers(x, n):
        y = x
        for _ in tf.range(n):
            y = y * x
        if y > 100.0:
            y = y * 0.0
        return y

    def slope(x, n):
        x = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = powers(x, tf.constant(n))
        return tape.gradient(y, x).numpy()

    assert slope(2.0, 3) == 32.0
    assert slope(2.0, 9) == 0.0


def test_private_names_of_classes_are_not_rewritten(caplog):
    class Holder:
        def __init__(self):
            self.__hidden = 3

        def adds(self, x):
            return x + self.__hidden

    assert converted(Holder().adds)(1) == 4
    assert "mangled names are not yet supported" in caplog.text


def test_target_of_a_loop_that_never_runs_is_its_start():
    @tf.function
    def runs(n):
        for i in tf.range(n):  # noqa: B007
            pass
        return i

    assert runs(tf.constant(0)).numpy() == 0
    assert runs(tf.constant(3)).numpy() == 2


def test_print_is_staged_if_features_ask_for_it(capsys):
    @tf.function(autograph=False)
    def tells(x):
        converted(lambda y: print("now", y, sep=": "), Feature.BUILTIN_FUNCTIONS)(x)
        return x

    for value in (1, 2):
        tells(tf.constant(value)).numpy()
    assert capsys.readouterr().out == "now: 1\nnow: 2\n"
