"""Ops on strings run on the host, and inside a function at each call."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

TABLE = [["a", "bb"], ["c", "a"]]
WORD = tf.Variable("word")


def test_moving_strings_keeps_bytes_with_zeros_at_their_end() -> None:
    words = tf.constant(np.array([b"a\x00", b"", b"bc\x00\x00"], object))
    assert tf.transpose(words[None]).numpy().tolist() == [[b"a\x00"], [b""], [b"bc\x00\x00"]]
    assert words[2].numpy() == b"bc\x00\x00"
    assert [word.numpy() for word in words] == [b"a\x00", b"", b"bc\x00\x00"]


def test_a_string_op_is_not_recorded() -> None:
    table = tf.constant(TABLE)
    with tf.counted() as counts:
        assert tf.reshape(table, [-1])[::-1].numpy().tolist() == [b"a", b"c", b"bb", b"a"]
    assert counts.flushes == counts.compiles == counts.op_compiles == 0


def test_a_pending_operand_is_computed_first() -> None:
    place = tf.cast(tf.constant(1.5) * 1.0, tf.int32)
    assert tf.gather(["a", "b"], place).numpy() == b"b"
    assert tf.constant(["a", "b"])[place].numpy() == b"b"
    with pytest.raises(tf.errors.InvalidArgumentError, match="indices must be in"):
        tf.gather(["a", "b"], place + 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
        tf.constant(["a", "b"])[place + 1]


def test_shapes_are_checked_before_strings_move() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf.transpose: perm must be a permutation"):
        tf.transpose(tf.constant(TABLE), [0, 0])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf.where: "):
        tf.where([True, False, True], ["a", "b"], ["c", "d"])


def test_numbers_beside_strings_keep_their_dtype() -> None:
    values, places, counts = tf.unique_with_counts(tf.constant(["b", "a", "b"]), tf.int64)
    assert values.numpy().tolist() == [b"b", b"a"]
    assert (places.dtype, counts.dtype) == (tf.int64, tf.int64)
    assert tf.equal(tf.constant(TABLE), "a").dtype is tf.bool
    assert tf.math.count_nonzero(["", "a"]).dtype is tf.int64
    assert tf.identity_n([tf.constant("a"), tf.constant(7, tf.uint32)])[1].numpy() == 7


def test_a_gradient_goes_past_strings() -> None:
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        label = tf.where(x > 1.0, "large", "small")
        loss = x * x * tf.cast(tf.equal(label, "large"), tf.float32)
    assert label.numpy() == b"large"
    assert tape.gradient(loss, x).numpy() == 4.0
    with tf.GradientTape() as tape:
        label = tf.where(x > 1.0, "large", "small")
    assert tape.gradient(label, x) is None


def test_strings_that_a_function_knows_are_computed_while_it_is_traced() -> None:
    traced: list[int] = []

    @tf.function
    def length_of(word: tf.Tensor) -> tf.Tensor:
        traced.append(1)
        return tf.strings.length(tf.strings.join([word, "!"]))

    assert [length_of(word).numpy() for word in ("a", "abc", "a")] == [2, 4, 2]
    assert len(traced) == 2


def test_a_function_prints_strings_of_what_it_computes(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def report(x: tf.Tensor) -> tf.Tensor:
        tf.print(tf.strings.format("loss {}, {}", (x * 2.0, "text")))
        tf.print(tf.as_string(x, precision=1), tf.strings.join(["<", tf.as_string(x[0]), ">"]))
        tf.print(tf.where(x > 2.0, "large", "small"), tf.gather(["no", "yes"], tf.argmax(x)))
        return tf.strings.length(tf.as_string(x))

    assert report(tf.constant([1.5, 2.25])).numpy().tolist() == [8, 8]
    assert report(tf.constant([30.5, 2.25])).numpy().tolist() == [9, 8]
    assert capsys.readouterr().err.splitlines() == [
        'loss [3 4.5], "text"',
        '["1.5" "2.2"] "<1.500000>"',
        '["small" "large"] "yes"',
        'loss [61 4.5], "text"',
        '["30.5" "2.2"] "<30.500000>"',
        '["large" "large"] "no"',
    ]


def test_a_function_reads_a_variable_at_each_call_for_a_string(capsys: pytest.CaptureFixture[str]) -> None:
    count = tf.Variable(1)

    @tf.function
    def step() -> None:
        tf.print(tf.strings.join(["step ", tf.as_string(count)]))
        count.assign_add(1)

    step()
    step()
    assert capsys.readouterr().err.splitlines() == ["step 1", "step 2"]


def test_a_function_returns_strings_of_what_it_computes() -> None:
    @tf.function
    def labelled(x: tf.Tensor) -> dict[str, tf.Tensor]:
        return {
            "label": tf.gather(["low", "high"], tf.cast(x > 1.0, tf.int32)),
            "double": x * 2.0,
            "as": tf.as_string(x),
        }

    @tf.function
    def line(x: tf.Tensor) -> tf.Tensor:
        found = labelled(x)
        return tf.strings.join([found["label"], found["as"]], " ")

    for _ in range(2):
        assert labelled(tf.constant([0.5, 1.5]))["label"].numpy().tolist() == [b"low", b"high"]
        assert labelled(tf.constant([2.5, 1.0]))["label"].numpy().tolist() == [b"high", b"low"]
    assert line(tf.constant([0.5, 1.5])).numpy().tolist() == [b"low 0.500000", b"high 1.500000"]
    assert labelled.get_concrete_function(tf.TensorSpec([2])).structured_outputs["as"].dtype is tf.string


def test_a_tape_around_a_function_goes_past_its_strings() -> None:
    x = tf.Variable([2.0, 3.0])
    with tf.GradientTape() as tape:
        text, squared = tf.function(lambda x: (tf.as_string(x, precision=0), x * x))(x)
        loss = tf.reduce_sum(squared)
    assert tape.gradient(loss, x).numpy().tolist() == [4.0, 6.0]
    assert text.numpy().tolist() == [b"2", b"3"]


def test_a_function_of_strings_that_no_program_holds_runs_untraced() -> None:
    split = tf.function(lambda x: tf.strings.split(tf.as_string(x), "."))
    for number in (1.5, 2.5):
        assert (
            split(tf.constant(number)).numpy().tolist() == tf.strings.split(tf.as_string(number), ".").numpy().tolist()
        )
    with pytest.raises(NotImplementedError, match="py_function"):
        split.get_concrete_function(tf.constant(1.0)).jaxpr()


def test_a_function_reads_a_variable_of_strings() -> None:
    described = tf.function(lambda x: tf.strings.upper(WORD) + str(x.shape.rank))
    assert described(tf.constant(1.0)).numpy() == tf.strings.upper(WORD).numpy() + b"0"
