"""Functions of strings: they are traced once, and the host computes strings for each element."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests.data.reading import plain

D = tf.data.Dataset
TEXTS = ("a b", "c", "d e f")


@pytest.fixture(autouse=True)
def _seed():
    yield
    tf.random.set_seed(None)


def texts():
    return D.from_tensor_slices(list(TEXTS))


def listed(dataset):
    return [tf.nest.map_structure(plain, element) for element in dataset]


def words(text):
    return tf.strings.split(text)


def loop_over_words(text):
    total = 0
    for word in tf.strings.split(text):
        total += tf.strings.length(word)
    return total


def doubled(text):
    while tf.strings.length(text) < 6:
        text = tf.strings.join([text, text])
    return text


def joined_in_a_range(text):
    out = tf.constant("")
    for _ in tf.range(3):
        out = tf.strings.join([out, text])
    return out


def chosen(text):
    if text == "c":
        number = 1
    elif tf.strings.length(text) > 3:
        number = 2
    else:
        number = 3
    return number


def first_letter(text):
    if tf.strings.length(text) > 1:  # noqa: SIM108  # AutoGraph has another way for expressions
        letter = tf.strings.substr(text, 0, 1)
    else:
        letter = text
    return letter


def padded_lengths(text):
    lengths = tf.strings.length(tf.strings.split(text))
    return tf.pad(lengths, [[0, tf.maximum(0, 4 - tf.size(lengths))]])[:4]


def looked_up(text):
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "c"], [1, 2]), -1)
    return table.lookup(tf.strings.split(text))


CASES = {
    "length": (lambda x: tf.strings.length(x), [3, 1, 5]),
    "split": (words, [[b"a", b"b"], [b"c"], [b"d", b"e", b"f"]]),
    "join and upper": (
        lambda x: (tf.strings.join(["<", x]), tf.strings.upper(x)),
        [(b"<a b", b"A B"), (b"<c", b"C"), (b"<d e f", b"D E F")],
    ),
    "size and first": (lambda x: (tf.size(words(x)), words(x)[0]), [(2, b"a"), (1, b"c"), (3, b"d")]),
    "last": (lambda x: words(x)[-1], [b"b", b"c", b"f"]),
    "all but the last": (
        lambda x: tf.concat([["<s>"], words(x)], 0)[:-1],
        [[b"<s>", b"a"], [b"<s>"], [b"<s>", b"d", b"e"]],
    ),
    "column": (lambda x: tf.reshape(words(x), [-1, 1]), [[[b"a"], [b"b"]], [[b"c"]], [[b"d"], [b"e"], [b"f"]]]),
    "stack": (lambda x: tf.stack([x, x]), [[b"a b"] * 2, [b"c"] * 2, [b"d e f"] * 2]),
    "equality": (lambda x: x == "c", [False, True, False]),
    "regex": (lambda x: tf.strings.regex_replace(x, "[ace]", "*"), [b"* b", b"*", b"d * f"]),
    "number": (lambda x: tf.strings.to_number(tf.strings.as_string(tf.strings.length(x) * 2)), [6.0, 2.0, 10.0]),
    "int": (lambda x: int(tf.strings.as_string(tf.strings.length(x))), [3, 1, 5]),
    "where": (lambda x: tf.where(tf.strings.length(x) > 1, x, "none"), [b"a b", b"none", b"d e f"]),
    "reduce_join": (lambda x: tf.strings.reduce_join(words(x), separator="-"), [b"a-b", b"c", b"d-e-f"]),
    "characters": (lambda x: tf.strings.unicode_decode(x, "UTF-8")[:1], [[97], [99], [100]]),
    "ngrams": (lambda x: tf.strings.ngrams(words(x), 2), [[b"a b"], [], [b"d e", b"e f"]]),
    "one_hot": (lambda x: tf.one_hot(tf.strings.length(x), 2), [[0, 0], [0, 1], [0, 0]]),
    "lookup": (looked_up, [[1, -1], [2], [-1, -1, -1]]),
    "branch": (chosen, [3, 1, 2]),
    "branch of strings": (first_letter, [b"a", b"c", b"d"]),
    "loop over words": (loop_over_words, [2, 1, 3]),
    "while": (doubled, [b"a ba b", b"cccccccc", b"d e fd e f"]),
    "loop over a range": (joined_in_a_range, [b"a ba ba b", b"ccc", b"d e fd e fd e f"]),
    "map_fn": (
        lambda x: tf.map_fn(tf.strings.length, words(x), fn_output_signature=tf.int32),
        [[1, 1], [1], [1, 1, 1]],
    ),
    "padded": (padded_lengths, [[1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 1, 0]]),
}


@pytest.mark.parametrize("name", CASES)
def test_functions_of_strings(name):
    function, expected = CASES[name]
    assert listed(texts().map(function)) == expected


def test_python_runs_once_for_all_strings():
    calls = []

    def function(text):
        calls.append(1)
        return tf.strings.length(text)

    dataset = texts().map(function)
    assert listed(dataset) == listed(dataset) == [3, 1, 5]
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("function", "spec"),
    [
        (words, tf.TensorSpec([None], tf.string)),
        (lambda x: tf.strings.length(words(x)), tf.TensorSpec([None], tf.int32)),
        (lambda x: words(x)[0], tf.TensorSpec([], tf.string)),
        (lambda x: tf.io.read_file(x), tf.TensorSpec([], tf.string)),
        (lambda x: tf.io.decode_jpeg(x, channels=3), tf.TensorSpec([None, None, 3], tf.uint8)),
        (lambda x: tf.io.decode_image(x), tf.TensorSpec(None, tf.uint8)),
        (lambda x: tf.io.decode_image(x, expand_animations=False), tf.TensorSpec([None, None, None], tf.uint8)),
        (lambda x: tf.io.decode_gif(x), tf.TensorSpec([None, None, None, 3], tf.uint8)),
        (lambda x: tf.io.parse_tensor(x, tf.float32), tf.TensorSpec(None, tf.float32)),
        (lambda x: tf.cast(tf.io.parse_tensor(x, tf.float32), tf.int32), tf.TensorSpec(None, tf.int32)),
        (lambda x: tf.reshape(tf.io.parse_tensor(x, tf.float32), [-1, 3]), tf.TensorSpec([None, 3], tf.float32)),
        (lambda x: tf.io.decode_raw(x, tf.float32, fixed_length=16), tf.TensorSpec([4], tf.float32)),
        (lambda x: tf.unique(tf.io.decode_raw(x, tf.uint8)).y, tf.TensorSpec([None], tf.uint8)),
    ],
)
def test_types_of_results(function, spec):
    assert texts().map(function).element_spec == spec


def test_batches_of_strings_are_ragged_when_split():
    dataset = texts().batch(2).map(words)
    assert dataset.element_spec == tf.RaggedTensorSpec([None, None], tf.string, 1, tf.int64)
    assert listed(dataset) == [[[b"a", b"b"], [b"c"]], [[b"d", b"e", b"f"]]]
    assert listed(texts().batch(2).map(lambda x: words(x).to_tensor("."))) == [
        [[b"a", b"b"], [b"c", b"."]],
        [[b"d", b"e", b"f"]],
    ]


def test_filters_folds_and_groups_of_strings():
    assert listed(texts().filter(lambda x: tf.strings.regex_full_match(x, ".* .*"))) == [b"a b", b"d e f"]
    assert listed(texts().take_while(lambda x: x != "c")) == [b"a b"]
    assert texts().reduce("", lambda state, x: tf.strings.join([state, x])).numpy() == b"a bcd e f"
    assert listed(texts().scan(0, lambda state, x: (state + tf.strings.length(x), state))) == [0, 3, 4]
    assert listed(texts().flat_map(lambda x: D.from_tensor_slices(words(x)))) == [b"a", b"b", b"c", b"d", b"e", b"f"]
    groups = texts().group_by_window(lambda x: tf.cast(tf.strings.length(x) > 1, tf.int64), lambda _, d: d.batch(2), 2)
    assert listed(groups) == [[b"a b", b"d e f"], [b"c"]]


def test_an_error_takes_the_place_of_its_element():
    iterator = iter(D.from_tensor_slices(["1", "x", "3"]).map(tf.strings.to_number))
    assert next(iterator).numpy() == 1
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(iterator)
    assert next(iterator).numpy() == 3


def test_random_numbers_do_not_depend_on_strings():
    def function(x):
        if tf.random.uniform([], seed=4) < 0.5:
            return tf.strings.upper(x)
        return x

    tf.random.set_seed(1)
    expected = [b"A B", b"c", b"d e f", b"a b", b"c", b"d e f"]
    found = listed(texts().repeat(2).map(function))
    tf.random.set_seed(1)
    numbers = [x.numpy() for x in D.range(6).map(lambda _: tf.random.uniform([], seed=4))]
    assert [text == text.upper() for text in found] == [bool(number < 0.5) for number in numbers]
    assert [text.lower() for text in found] == [text.lower() for text in expected]


def test_strings_have_no_value_while_tracing():
    with pytest.raises(AttributeError, match="has no attribute 'numpy'"):
        texts().map(lambda x: x.numpy())
    with pytest.raises(TypeError):
        texts().map(lambda x: open(x).read())  # noqa: SIM115


def test_padded_batches_hold_strings_not_arrays():
    (batch,) = texts().map(lambda x: (x, words(x))).padded_batch(3)
    assert batch[0].numpy().tolist() == [b"a b", b"c", b"d e f"]
    assert all(type(text) is bytes for text in batch[0].numpy())
    assert batch[1].shape == (3, 3)


def test_values_of_unknown_rank():
    rows = D.from_generator(lambda: iter([[1.0], [2.0, 3.0]]), output_types=tf.float32)
    assert rows.map(lambda x: x / 2).element_spec == tf.TensorSpec(None, tf.float32)
    assert listed(rows.map(lambda x: x / 2 + 1)) == [[1.5], [2.0, 2.5]]
    assert listed(rows.map(lambda x: tf.reshape(x, [-1]) * 2)) == [[2.0], [4.0, 6.0]]
    assert rows.map(lambda x: tf.reshape(x, [-1])).element_spec == tf.TensorSpec([None], tf.float32)
    names = D.from_generator(lambda: iter([["x"], ["yy", "z"]]), output_types=tf.string)
    assert listed(names.map(tf.strings.length)) == [[1], [2, 1]]


def test_python_functions_are_called_for_each_element():
    def count(text):
        return np.float32(len(text)), np.int64(3)

    def function(x):
        length, number = tf.numpy_function(count, [x], [tf.float32, tf.int64])
        length.set_shape([])
        number.set_shape([])
        return length * 2, number

    assert listed(texts().map(function).batch(3)) == [([6.0, 2.0, 10.0], [3, 3, 3])]
    rows = D.range(3).map(lambda x: tf.ensure_shape(tf.numpy_function(np.arange, [x], tf.int64), [None]) * 2)
    assert listed(rows) == [[], [0], [0, 2]]
    assert listed(D.range(3).map(lambda x: tf.py_function(lambda v: v * 2, [x], tf.int64) + 1)) == [1, 3, 5]
    iterator = iter(D.range(2).map(lambda x: tf.numpy_function(lambda v: 1 // v, [x], tf.int64)))
    with pytest.raises(tf.errors.UnknownError):
        next(iterator)
    assert next(iterator).numpy() == 1


def test_crosses():
    pairs = D.from_tensor_slices(([["a", "b"], ["b", "c"], ["", "d"]], [[1], [2], [3]])).batch(2)
    hashed = pairs.map(lambda a, b: tf.sparse.cross_hashed([a, b], 50))
    assert hashed.element_spec == tf.SparseTensorSpec([None, None], tf.int64)
    assert [tf.sparse.to_dense(each).numpy().tolist() for each in hashed] == [[[35, 33], [7, 23]], [[37, 7]]]
    joined = pairs.map(lambda a, b: tf.sparse.to_dense(tf.sparse.cross([a, b])))
    assert listed(joined) == [[[b"a_X_1", b"b_X_1"], [b"b_X_2", b"c_X_2"]], [[b"_X_3", b"d_X_3"]]]


def test_branches_of_other_shapes_that_the_trace_knows():
    rows = D.from_tensor_slices(np.float32([[1, 2], [3, 4]]))
    texts = rows.map(lambda x: tf.cond(tf.size(x) > 3, lambda: tf.constant(["a"]), lambda: tf.strings.as_string(x)))
    assert listed(texts) == [[b"1.000000", b"2.000000"], [b"3.000000", b"4.000000"]]


@pytest.mark.parametrize(
    "part",
    [
        lambda x: x[:2],
        lambda x: x[-1:],
        lambda x: x[1:3],
        lambda x: x[tf.newaxis, :2],
        lambda x: x[: tf.shape(x)[0] // 2],
        lambda x: tf.strings.length(x[:2]),
        lambda x: tf.strings.reduce_join(x[:2], separator="+"),
    ],
    ids=["first", "last", "inner", "row", "half", "lengths", "joined"],
)
def test_slices_of_strings_of_any_number(part):
    sentences = ["a b c", "d", "", "e f"]
    dataset = D.from_tensor_slices(sentences).map(lambda x: part(tf.strings.split(x)))
    found = [np.asarray(x).tolist() for x in dataset]
    assert found == [np.asarray(part(tf.strings.split(tf.constant(x)))).tolist() for x in sentences]
    assert all(dataset.element_spec.is_compatible_with(x) for x in dataset)


@pytest.mark.parametrize(
    ("axis", "expected"),
    [(-1, [[b"a_b", b"c"], [b""]]), (0, [[b"a_c", b"b"], []]), (None, [b"a_b_c", b""])],
)
def test_words_of_texts_are_joined(axis, expected):
    texts = D.from_tensor_slices(["a b", "c", ""]).batch(2)
    joined = texts.map(lambda text: tf.strings.reduce_join(tf.strings.split(text), axis, separator="_"))
    assert [np.asarray(found.numpy()).tolist() for found in joined] == expected
    assert joined.element_spec == tf.TensorSpec([] if axis is None else [None], tf.string)


def _tokens_and_tags(line):
    parts = tf.strings.split(line, sep="\t")
    length = tf.strings.to_number(parts[0], out_type=tf.int32)
    return parts[1 : length + 1], tf.strings.to_number(parts[length + 1 :], out_type=tf.int64) + 1


def _filled(line):
    length = tf.strings.to_number(tf.strings.split(line, sep="\t")[0], out_type=tf.int32)
    return tf.reshape(tf.fill([2 * length], "z"), [length, 2])


COUNTED = {
    "parts of a line": (
        _tokens_and_tags,
        [([b"a", b"b", b"c"], [2, 3, 4]), ([b"A", b"B"], [5, 6]), ([b"x"], [8]), ([], [])],
    ),
    "shapes of strings": (_filled, [[[b"z", b"z"]] * 3, [[b"z", b"z"]] * 2, [[b"z", b"z"]], []]),
}


@pytest.mark.parametrize("name", COUNTED)
def test_numbers_in_a_text_are_sizes_of_its_strings(name):
    function, expected = COUNTED[name]
    lines = ["3\ta\tb\tc\t1\t2\t3", "2\tA\tB\t4\t5", "1\tx\t7", "0"]
    found = tf.data.Dataset.from_tensor_slices(lines).map(function)
    assert [tf.nest.map_structure(lambda x: x.numpy().tolist(), each) for each in found] == expected


def test_decorated_functions_of_text_of_any_number():
    texts = tf.data.Dataset.from_tensor_slices(["a", "bc", "d"]).batch(2)
    lengths = texts.map(tf.function(lambda text: tf.strings.length(text) * tf.ones_like(text, tf.int32)))
    assert [each.numpy().tolist() for each in lengths] == [[1, 2], [1]]
    numbers = tf.data.Dataset.from_tensor_slices([1.0, 2.0, -3.0]).batch(2)
    digits = numbers.map(tf.function(lambda x: tf.cast(tf.strings.length(tf.strings.as_string(x)), tf.float32) * x))
    assert [each.numpy().tolist() for each in digits] == [[8.0, 16.0], [-27.0]]


def test_functions_of_rows_that_read_no_row():
    texts = tf.data.Dataset.from_tensor_slices(["a", "b", "c"] * 200).batch(500)
    joined = texts.map(lambda text: tf.map_fn(lambda _: tf.strings.join(["d", "e"]), text))
    assert [rows.numpy().tolist() for rows in joined] == [[b"de"] * 500, [b"de"] * 100]
    lengths = texts.map(lambda text: tf.map_fn(tf.strings.length, text, fn_output_signature=tf.int32))
    assert [int(tf.reduce_sum(rows)) for rows in lengths] == [500, 100]
