"""`tf.lookup`: tables agree with TensorFlow 2.21."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import tfcompat as tf

Pairs = tf.lookup.KeyValueTensorInitializer
Lines = tf.lookup.TextFileIndex


def words(default: object = -1) -> tf.lookup.StaticHashTable:
    return tf.lookup.StaticHashTable(Pairs(["a", "b"], [1, 2]), default)


def dense(**changes: object) -> tf.lookup.experimental.DenseHashTable:
    chosen = {"key_dtype": tf.string, "value_dtype": tf.int64, "default_value": -1, "empty_key": "", "deleted_key": "$"}
    return tf.lookup.experimental.DenseHashTable(**chosen | changes)


def mutable(**changes: object) -> tf.lookup.experimental.MutableHashTable:
    chosen = {"key_dtype": tf.string, "value_dtype": tf.int64, "default_value": -1}
    return tf.lookup.experimental.MutableHashTable(**chosen | changes)


def of_file(path: pathlib.Path, text: str, *indices: object, default: object = -1, **options: object) -> object:
    path.write_text(text)
    return tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(str(path), *indices, **options), default)


WHOLE = (tf.string, Lines.WHOLE_LINE, tf.int64, Lines.LINE_NUMBER)


def test_static_table_finds_values_and_the_default() -> None:
    found = words().lookup(tf.constant([["a", "z"], ["b", ""]]))
    assert found.dtype is tf.int32
    assert found.numpy().tolist() == [[1, -1], [2, -1]]
    assert words()[tf.constant("b")].numpy() == 2
    assert words().size().numpy() == 2
    assert (words().key_dtype, words().value_dtype, words().default_value.numpy()) == (tf.string, tf.int32, -1)
    keys, values = words().export()
    assert dict(zip(keys.numpy().tolist(), values.numpy().tolist())) == {b"a": 1, b"b": 2}


@pytest.mark.parametrize(
    ("keys", "values", "default", "asked", "expected"),
    [
        (np.array([3, 1]), ["x", "y"], "?", np.array([1, 5]), [b"y", b"?"]),
        ([3, 1], [1.5, 2.5], 0.0, np.array([1, 5], np.int32), [2.5, 0.0]),
        (np.array([3, 1]), np.array([1, 2]), -1, np.array([[1, 5, 3]]), [[2, -1, 1]]),
        (["a"], [True], False, ["a", "b"], [True, False]),
    ],
    ids=["int_to_string", "int_to_float", "int_to_int", "string_to_bool"],
)
def test_static_table_takes_many_dtypes(
    keys: object, values: object, default: object, asked: object, expected: object
) -> None:
    table = tf.lookup.StaticHashTable(Pairs(keys, values), default)
    assert table.lookup(tf.constant(asked)).numpy().tolist() == expected


def test_static_table_keeps_ragged_and_sparse_keys_so() -> None:
    ragged = words().lookup(tf.ragged.constant([["a"], ["b", "c"]]))
    assert ragged.to_list() == [[1], [2, -1]]
    sparse = words().lookup(tf.SparseTensor([[0, 1]], ["b"], [1, 2]))
    assert isinstance(sparse, tf.SparseTensor)
    assert sparse.values.numpy().tolist() == [2]


def test_static_table_takes_a_key_twice_with_one_value_only() -> None:
    assert tf.lookup.StaticHashTable(Pairs(["a", "a"], [1, 1]), 0).size().numpy() == 1
    with pytest.raises(tf.errors.FailedPreconditionError, match="HashTable has different value for same key"):
        tf.lookup.StaticHashTable(Pairs(["a", "a"], [1, 2]), 0)


@pytest.mark.parametrize(
    ("error", "make"),
    [
        (tf.errors.InvalidArgumentError, lambda: tf.lookup.StaticHashTable(Pairs(["a", "b"], [1]), 0)),
        (tf.errors.InvalidArgumentError, lambda: tf.lookup.StaticHashTable(Pairs([], [], tf.string, tf.int64), 0)),
        (tf.errors.NotFoundError, lambda: tf.lookup.StaticHashTable(Pairs([1.5], [1]), 0)),
        (TypeError, lambda: words("x")),
        (TypeError, lambda: words(1.5)),
        (ValueError, lambda: words([1, 2])),
        (ValueError, lambda: words(tf.constant(1, tf.int64))),
        (TypeError, lambda: words().lookup(tf.constant([1]))),
        (TypeError, lambda: "a" in words()),
        (NotImplementedError, lambda: words().resource_handle),
        (TypeError, lambda: tf.lookup.StaticVocabularyTable(Pairs(["a"], [0]), 1)),
        (ValueError, lambda: tf.lookup.StaticVocabularyTable(None, 0)),
        (TypeError, lambda: tf.lookup.StaticVocabularyTable(Pairs(["a"], [0], None, tf.int64), 1, tf.int64)),
        (TypeError, lambda: tf.lookup.StaticVocabularyTable(Pairs([1], [0], None, tf.int64), 1)),
    ],
)
def test_static_tables_refuse(error: type[Exception], make: object) -> None:
    with pytest.raises(error):
        make()


def test_integers_find_numbers_inside_a_function() -> None:
    table = tf.lookup.StaticHashTable(Pairs(np.array([30, 10, 20]), np.array([3.0, 1.0, 2.0], np.float32)), -1.0)

    @tf.function
    def found(keys: tf.Tensor) -> tf.Tensor:
        return table.lookup(keys * 10)

    assert found(tf.constant([1, 2, 3, 4], tf.int64)).numpy().tolist() == [1.0, 2.0, 3.0, -1.0]
    assert found(tf.constant([5, 3, 0, 1], tf.int64)).numpy().tolist() == [-1.0, 3.0, -1.0, 1.0]


def test_a_pending_key_stays_in_the_program() -> None:
    table = tf.lookup.StaticHashTable(Pairs([1, 2], [10, 20]), 0)
    keys = tf.cast(tf.constant([1.5, 2.5, 3.5]) * 1.0, tf.int32)
    with tf.counted() as counts:
        values = table.lookup(keys)
    assert counts.flushes == 0
    assert values.numpy().tolist() == [10, 20, 0]


def test_strings_known_to_a_function_find_values() -> None:
    @tf.function
    def found(word: tf.Tensor) -> tf.Tensor:
        return words().lookup(word) * 2

    assert [found(tf.constant(word)).numpy() for word in ("a", "b", "c")] == [2, 4, -2]


def test_names_of_classes_are_printed_by_a_function(capfd: pytest.CaptureFixture[str]) -> None:
    names = tf.lookup.StaticHashTable(Pairs([0, 1], ["cat", "dog"]), "?")

    @tf.function
    def tell(scores: tf.Tensor) -> None:
        tf.print(names.lookup(tf.argmax(scores, output_type=tf.int32)))

    tell(tf.constant([0.1, 0.9]))
    tell(tf.constant([0.9, 0.1]))
    assert capfd.readouterr().err.splitlines() == ["dog", "cat"]


def test_vocabulary_gives_other_keys_numbers_by_their_hash() -> None:
    table = tf.lookup.StaticVocabularyTable(Pairs(["a", "b"], [0, 1], tf.string, tf.int64), 5, name="words")
    assert table.lookup(tf.constant(["a", "b", "z", "y", "x", "w"])).numpy().tolist() == [0, 1, 4, 2, 2, 6]
    assert (table.size().numpy(), table.key_dtype, table.value_dtype, table.name) == (7, tf.string, tf.int64, "words")
    assert table[tf.ragged.constant([["a"], ["z"]])].to_list() == [[0], [4]]
    unknown = tf.lookup.StaticVocabularyTable(None, 5)
    assert unknown.lookup(tf.constant(["a", "z"])).numpy().tolist() == [4, 2]


def test_vocabulary_of_integers_hashes_their_digits() -> None:
    table = tf.lookup.StaticVocabularyTable(Pairs(np.array([10, 20]), np.array([0, 1])), 5)
    keys = tf.constant([10, 20, 30], tf.int64)
    assert table.lookup(keys).numpy().tolist() == [0, 1, 5]
    assert tf.function(table.lookup)(keys).numpy().tolist() == [0, 1, 5]


def test_text_file_by_lines(tmp_path: pathlib.Path) -> None:
    text = "alpha\nbeta\r\ngamma\n"
    asked = tf.constant(["alpha", "gamma", "x"])
    assert of_file(tmp_path / "v", text, *WHOLE).lookup(asked).numpy().tolist() == [0, 2, -1]
    assert of_file(tmp_path / "v", text, *WHOLE, value_index_offset=10).lookup(asked).numpy().tolist() == [10, 12, -1]
    assert of_file(tmp_path / "v", text, *WHOLE, vocab_size=2).lookup(asked).numpy().tolist() == [0, -1, -1]
    inverse = of_file(tmp_path / "v", text, *WHOLE[2:], *WHOLE[:2], default="?")
    assert inverse.lookup(tf.constant([1, 7], tf.int64)).numpy().tolist() == [b"beta", b"?"]


def test_text_file_by_columns(tmp_path: pathlib.Path) -> None:
    table = of_file(tmp_path / "v", "a\t1\nb\t2", tf.string, 0, tf.int64, 1)
    assert table.lookup(tf.constant(["b", "a"])).numpy().tolist() == [2, 1]
    table = of_file(tmp_path / "w", "a,1.5\nb,2", tf.string, 0, tf.float32, 1, default=0.0, delimiter=",")
    assert table.lookup(tf.constant(["b", "a"])).numpy().tolist() == [2.0, 1.5]


@pytest.mark.parametrize(
    ("error", "text", "indices", "options"),
    [
        (tf.errors.InvalidArgumentError, "a\t1", (tf.string, 0, tf.int64, 5), {}),
        (tf.errors.InvalidArgumentError, "a\tx", (tf.string, 0, tf.int64, 1), {}),
        (tf.errors.InvalidArgumentError, "a\n\nb", WHOLE, {}),
        (tf.errors.InvalidArgumentError, "a\nb", WHOLE, {"vocab_size": 3}),
        (tf.errors.InvalidArgumentError, "a\nb", WHOLE, {"delimiter": "::"}),
        (tf.errors.FailedPreconditionError, "a\nb\na", WHOLE, {}),
        (ValueError, "a", (tf.string, -1, tf.int64, -1), {}),
        (ValueError, "a", (tf.string, -3, tf.int64, -1), {}),
        (ValueError, "a", WHOLE, {"vocab_size": 0}),
    ],
)
def test_text_file_refuses(
    tmp_path: pathlib.Path, error: type[Exception], text: str, indices: tuple[object, ...], options: dict[str, object]
) -> None:
    with pytest.raises(error):
        of_file(tmp_path / "v", text, *indices, **options)


def test_text_file_must_exist(tmp_path: pathlib.Path) -> None:
    lines = tf.lookup.TextFileInitializer(str(tmp_path / "none"), *WHOLE)
    with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
        tf.lookup.StaticHashTable(lines, -1)
    with pytest.raises(ValueError, match="filename"):
        tf.lookup.TextFileInitializer("", *WHOLE)


@pytest.mark.parametrize("make", [dense, mutable])
def test_changing_tables_insert_look_up_and_remove(make: object) -> None:
    table = make()
    table.insert(["a", "b", "c"], [1, 2, 3])
    table.insert("c", 7)
    table.remove(tf.constant(["a", "zz"]))
    assert table.lookup(tf.constant(["a", "b", "c", "d"])).numpy().tolist() == [-1, 2, 7, -1]
    assert table["b"].numpy() == 2
    assert table.size().numpy() == 2
    keys, values = table.export()
    assert dict(zip(keys.numpy().tolist(), values.numpy().tolist(), strict=True)) == {b"b": 2, b"c": 7}


@pytest.mark.parametrize("make", [dense, mutable])
def test_functions_change_tables(make: object) -> None:
    table = make()

    @tf.function
    def count(words: object) -> object:
        table.insert(words, table.lookup(words) + 1)
        return table.size()

    assert [count(tf.constant(words)).numpy() for words in (["b", "c"], ["b", "d"], ["b", "e"])] == [2, 3, 4]
    assert table.lookup(tf.constant(["b", "e"])).numpy().tolist() == [2, 0]


@pytest.mark.parametrize("make", [dense, mutable])
def test_changing_tables_refuse(make: object) -> None:
    table = make()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected shape"):
        table.insert(["a"], [1, 2])
    with pytest.raises(TypeError):
        table.insert(["a"], ["x"])
    with pytest.raises(TypeError):
        table.lookup([1])
    with pytest.raises(ValueError, match="Tensor conversion requested dtype"):
        table.insert(["a"], tf.constant([1], tf.int32))
    with pytest.raises(tf.errors.NotFoundError):
        make(value_dtype=tf.string, default_value="")


def test_mutable_table_takes_defaults_for_one_lookup() -> None:
    table = mutable()
    table.insert(["a"], [1])
    assert table.lookup(tf.constant([["a"], ["b"]])).numpy().tolist() == [[1], [-1]]
    assert table.lookup(["a", "b"], tf.constant([7, 8], tf.int64)).numpy().tolist() == [1, 8]
    assert table.lookup(["a", "b"], dynamic_default_values=tf.constant(9, tf.int64)).numpy().tolist() == [1, 9]


def test_values_may_have_a_shape() -> None:
    table = dense(default_value=[0, -1])
    table.insert(["a"], [[1, 2]])
    assert table.lookup(["a", "b"]).numpy().tolist() == [[1, 2], [0, -1]]


def test_dense_table_reserves_two_keys_and_takes_vectors() -> None:
    table = dense()
    for use in (lambda: table.insert([""], [1]), lambda: table.lookup(["$"]), lambda: table.erase(tf.constant([""]))):
        with pytest.raises(tf.errors.InvalidArgumentError, match="as a table key is not allowed"):
            use()
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot be equal"):
        dense(empty_key="x", deleted_key="x")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Number of buckets"):
        dense(initial_num_buckets=3)
    pairs = dense(key_dtype=tf.int64, empty_key=[0, 0], deleted_key=[-1, -1])
    pairs.insert_or_assign(tf.constant([[1, 2]], tf.int64), [3])
    assert pairs.lookup(tf.constant([[1, 2], [3, 4]], tf.int64)).numpy().tolist() == [3, -1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="shapes of keys must end in"):
        pairs.lookup(tf.constant([1, 2, 3], tf.int64))
