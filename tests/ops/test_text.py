"""`tf.strings` where a row of the list of cases cannot show it: ragged tensors, NumPy's strings, numbers, hashes."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

ROWS = tf.ragged.constant([["Ab"], ["c d", "é"]])


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (tf.strings.lower, [[b"ab"], [b"c d", b"\xc3\xa9"]]),
        (tf.strings.upper, [[b"AB"], [b"C D", b"\xc3\xa9"]]),
        (tf.strings.strip, [[b"Ab"], [b"c d", b"\xc3\xa9"]]),
        (tf.strings.length, [[2], [3, 2]]),
        (lambda rows: tf.strings.length(rows, unit="UTF8_CHAR"), [[2], [3, 1]]),
        (lambda rows: tf.strings.substr(rows, 0, 1), [[b"A"], [b"c", b"\xc3"]]),
        (lambda rows: tf.strings.regex_replace(rows, "[a-z]", "x"), [[b"Ax"], [b"x x", b"\xc3\xa9"]]),
        (lambda rows: tf.strings.regex_full_match(rows, "..?"), [[True], [False, True]]),
        (lambda rows: tf.strings.join([rows, "!", rows], "-"), [[b"Ab-!-Ab"], [b"c d-!-c d", b"\xc3\xa9-!-\xc3\xa9"]]),
        (tf.strings.split, [[[b"Ab"]], [[b"c", b"d"], [b"\xc3\xa9"]]]),
        (tf.strings.bytes_split, [[[b"A", b"b"]], [[b"c", b" ", b"d"], [b"\xc3", b"\xa9"]]]),
        (lambda rows: tf.strings.unicode_split(rows, "UTF-8"), [[[b"A", b"b"]], [[b"c", b" ", b"d"], [b"\xc3\xa9"]]]),
        (lambda rows: tf.strings.unicode_decode(rows, "UTF-8"), [[[65, 98]], [[99, 32, 100], [233]]]),
        (
            lambda rows: tf.strings.unicode_transcode(rows, "UTF-8", "UTF-16-BE"),
            [[b"\0A\0b"], [b"\0c\0 \0d", b"\0\xe9"]],
        ),
        (lambda rows: tf.strings.to_hash_bucket_fast(rows, 100), [[36], [94, 25]]),
        (lambda rows: tf.strings.to_hash_bucket_strong(rows, 100, [1, 2]), [[67], [47, 91]]),
        (lambda rows: tf.strings.to_hash_bucket(rows, 100), [[90], [12, 65]]),
        (lambda rows: tf.strings.ngrams(rows, 2), [[], [b"c d \xc3\xa9"]]),
        (lambda rows: tf.strings.reduce_join(rows, axis=1, separator="+"), [b"Ab", b"c d+\xc3\xa9"]),
        (lambda rows: tf.strings.reduce_join(rows, axis=0, separator="+"), [b"Ab+c d", b"\xc3\xa9"]),
        (lambda rows: tf.strings.reduce_join(rows, separator="+"), b"Ab+c d+\xc3\xa9"),
        (lambda rows: tf.strings.reduce_join(rows, keepdims=True), [[b"Abc d\xc3\xa9"]]),
        (lambda rows: tf.strings.reduce_join(rows, 1, keepdims=True, separator=" "), [[b"Ab"], [b"c d \xc3\xa9"]]),
    ],
)
def test_ragged_strings(function: object, expected: object) -> None:
    found = function(ROWS)
    assert (found.to_list() if isinstance(found, tf.RaggedTensor) else np.array(found).tolist()) == expected


def test_ragged_numbers_become_strings_and_back() -> None:
    numbers = tf.ragged.constant([[1.5], [], [2.0, -3.0]])
    spelled = tf.as_string(numbers, precision=1)
    assert spelled.to_list() == [[b"1.5"], [], [b"2.0", b"-3.0"]]
    assert tf.strings.to_number(spelled).to_list() == numbers.to_list()
    assert tf.strings.unicode_script(tf.ragged.constant([[65], [945, 32]])).to_list() == [[25], [14, 0]]


def test_characters_of_nested_rows_are_encoded() -> None:
    rows = tf.ragged.constant([[[104], [105, 106]], [[]]], dtype=tf.int32)
    assert tf.strings.unicode_encode(rows, "UTF-8").to_list() == [[b"h", b"ij"], [b""]]


def test_nested_rows_are_joined_along_each_axis() -> None:
    rows = tf.ragged.constant([[["a", "b"], ["c"]], [["d"]]])
    assert tf.strings.reduce_join(rows, axis=0, separator=" ").to_list() == [[b"a d", b"b"], [b"c"]]
    assert tf.strings.reduce_join(rows, axis=1, separator=" ").to_list() == [[b"a c", b"b"], [b"d"]]
    assert tf.strings.reduce_join(rows, axis=-1, separator=" ").to_list() == [[b"a b", b"c"], [b"d"]]
    with pytest.raises(ValueError, match="out of bounds"):
        tf.strings.reduce_join(rows, axis=3)


def test_ngrams_of_nested_rows() -> None:
    rows = tf.ragged.constant([[["a", "b"], ["c"]], [["d", "e", "f"]]])
    assert tf.strings.ngrams(rows, 2).to_list() == [[[b"a b"], []], [[b"d e", b"e f"]]]
    empty = tf.ragged.constant([[], []], dtype=tf.string, ragged_rank=1)
    assert tf.strings.ngrams(empty, 2, pad_values="P").to_list() == [[], []]
    assert tf.strings.ngrams(tf.constant([], tf.string), 2, pad_values="P").shape == [0]
    padded = tf.strings.ngrams(tf.ragged.constant([["a"], []], dtype=tf.string), (1, 2), pad_values="P")
    assert padded.to_list() == [[b"a", b"P a", b"a P"], [b"P P"]]
    with pytest.raises(ValueError, match="greater than 0"):
        tf.strings.ngrams(rows, 0)
    with pytest.raises(TypeError, match="pad_values must be"):
        tf.strings.ngrams(rows, 2, pad_values=5)


def test_split_makes_a_ragged_axis_of_64_bit_splits() -> None:
    found = tf.strings.split([["a b", "c"]])
    assert found.shape.as_list() == [1, 2, None]
    assert found.row_splits.dtype is tf.int64
    assert tf.strings.split(["a b", "c"]).to_tensor().numpy().tolist() == [[b"a", b"b"], [b"c", b""]]


@pytest.mark.parametrize(
    "words", [np.array(["a", "é"]), np.array([b"a", "é".encode()]), ("a", "é"), ["a", b"\xc3\xa9"]]
)
def test_words_may_come_as_arrays_and_lists(words: object) -> None:
    assert tf.strings.length(words).numpy().tolist() == [1, 2]
    assert tf.strings.join([words, words]).numpy().tolist() == [b"aa", b"\xc3\xa9\xc3\xa9"]


def test_format_writes_ragged_tensors_as_rows() -> None:
    numbers = tf.ragged.constant([[0, 1, 2, 3, 4, 5, 6, 7], [1]])
    assert tf.strings.format("{}", numbers, summarize=2).numpy() == b"[[0, 1, ..., 6, 7], [1]]"
    assert tf.strings.format("{} {}", [tf.ragged.constant([[1.5]]), 3]).numpy() == b"[[1.500000]] 3"
    assert tf.strings.format("{}", tf.ragged.constant([["a"]])).numpy() == b"[['a']]"
    assert tf.strings.format("<{}>", tf.Variable(3)).numpy() == b"<3>"
    assert tf.strings.format("{}", tf.constant(1.5), summarize=0).numpy() == b"..."


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"\p{Greek}+", "_ жa一かカー\U00011f00"),
        (r"\P{Greek}", "αβ________"),
        (r"[\p{Hiragana}\p{Katakana}]", "αβ жa一__ー\U00011f00"),
        (r"[^\p{Han}\p{Latin}]+", "_a一_"),
        (r"\p{^Cyrillic}+", "_ж_"),
        (r"\p{Common}", "αβ_жa一かカ_\U00011f00"),
        (r"\p{Kawi}", "αβ жa一かカー_"),
    ],
)
def test_patterns_know_scripts(pattern: str, expected: str) -> None:
    assert tf.strings.regex_replace("αβ жa一かカー\U00011f00", pattern, "_").numpy().decode() == expected


@pytest.mark.parametrize("pattern", [r"\p{greek}", r"\p{IsGreek}", r"\p{Zzzz}"])
def test_names_of_scripts_are_those_of_unicode(pattern: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="invalid character class range"):
        tf.strings.regex_full_match("a", pattern)


def test_single_bytes_in_patterns_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="is not supported in patterns"):
        tf.strings.regex_replace("a", r"\C", "")


@pytest.mark.parametrize(
    ("rewrite", "expected"),
    [(r"\2\1", b"ba"), (r"\3", b"ab"), (r"\\", b"\\"), ("x\\", b"x"), (r"y\z", b"y"), (r"\0\0", b"abab")],
)
def test_rewrite_stands_for_groups(rewrite: str, expected: bytes) -> None:
    assert tf.strings.regex_replace("ab", "(a)(b)", rewrite).numpy() == expected


def test_rewrite_with_a_bad_escape_replaces_nothing_if_it_replaces_once() -> None:
    assert tf.strings.regex_replace("ab", "a", r"y\z", replace_global=False).numpy() == b"ab"


def test_bytes_that_are_no_characters_stay_as_they_are() -> None:
    text = b"\xff\x80a\xc3"
    assert tf.strings.regex_replace(text, "a", "b").numpy() == b"\xff\x80b\xc3"
    assert tf.strings.regex_replace(text, ".", "").numpy() == b"\xff\x80\xc3"
    assert tf.strings.length(text, unit="UTF8_CHAR").numpy() == 3


def test_every_length_hashes_alone_as_among_others() -> None:
    texts = [bytes(range(256))[:size] * 1 for size in range(0, 200, 7)]
    for function in (tf.strings.to_hash_bucket_fast, tf.strings.to_hash_bucket):
        together = function(texts, 2**62).numpy().tolist()
        assert together == [function(text, 2**62).numpy() for text in texts]
        assert len(set(together)) == len(texts)


def test_arguments_that_are_no_strings_say_so() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf.strings.upper: input must be strings, got int32"):
        tf.strings.upper(tf.constant([1]))
    with pytest.raises(TypeError, match="inputs must be a list of strings"):
        tf.strings.join("ab")
    with pytest.raises(TypeError, match="separator must be a Python string"):
        tf.strings.join(["a", "b"], separator=tf.constant("-"))
    with pytest.raises(TypeError, match="separator must be a Python string"):
        tf.strings.ngrams(["a", "b"], 2, separator=tf.constant("-"))


def test_transcoding_strictly_refuses_control_characters_that_are_to_be_replaced():
    strict = {"errors": "strict", "replace_control_characters": True}
    assert tf.strings.unicode_transcode("ok", "UTF-8", "UTF-16-BE", **strict).numpy() == b"\x00o\x00k"
    for text in (b"a\x00", b"\x7f\x1f", b"a\xff"):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid formatting"):
            tf.strings.unicode_transcode(text, "UTF-8", "UTF-8", **strict)
    assert tf.strings.unicode_decode(b"a\x01", "UTF-8", **strict).numpy().tolist() == [97, 65533]


@pytest.mark.parametrize("copies", [1, 40])
def test_hashes_of_long_texts(copies):
    texts = ["ab" * number for number in (33, 64, 65, 96, 97, 500)]
    found = tf.strings.to_hash_bucket_fast([texts] * copies, (1 << 63) - 1)
    expected = [
        1260108716417700833,
        8619453507633483991,
        6540216686777421062,
        3226836914339479563,
        3990137093576367722,
        6115196579277400674,
    ]
    assert found.numpy().tolist() == [expected] * copies


def test_runs_of_no_strings_are_not_padded():
    assert tf.strings.ngrams(tf.constant([], tf.string), 2, pad_values="*").shape == [0]
    rows = tf.RaggedTensor.from_row_lengths(tf.constant([], tf.string), [0, 0])
    assert tf.strings.ngrams(rows, 2, pad_values="*").to_list() == [[], []]


def test_runs_of_rows_with_bounds_that_the_function_computes():
    @tf.function
    def runs(texts, lengths):
        return tf.strings.ngrams(tf.RaggedTensor.from_row_lengths(texts, lengths * 2), 2)

    assert runs(tf.constant(["a", "b", "c", "d"]), tf.constant([1, 1])).to_list() == [[b"a b"], [b"c d"]]


def test_ragged_strings_are_joined_along_each_axis() -> None:
    deep = tf.ragged.constant([[["a", "b"], []], [["c"]], []])
    assert tf.strings.reduce_join(deep, 0).to_list() == [[b"ac", b"b"], []]
    assert tf.strings.reduce_join(deep, 1).to_list() == [[b"a", b"b"], [b"c"], []]
    assert tf.strings.reduce_join(deep, 2).to_list() == [[b"ab", b""], [b"c"], []]
    assert tf.strings.reduce_join(deep, [1, 2], keepdims=True).numpy().tolist() == [[[b"ab"]], [[b"c"]], [[b""]]]
    kept = tf.strings.reduce_join(deep, -1, keepdims=True)
    assert (kept.to_list(), kept.ragged_rank) == ([[[b"ab"], [b""]], [[b"c"]], []], 1)
