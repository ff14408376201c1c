"""Functions of strings, tables, ragged and sparse tensors, and of results whose sizes depend on values, are saved."""

from __future__ import annotations

import json
import os
import subprocess

import numpy as np
import pytest

import tfcompat as tf
from tests.daily import without
from tests.fuzz.oracle import ROOT, interpreter
from tests.saved_model.staged_models import CASES, results, save, texts

NEEDS_TENSORFLOW = pytest.mark.skipif(interpreter() is None, reason="no TensorFlow: `make .venv-tensorflow/oracle`")


# These have the parts of another case.
VARIANTS = {"mapped pairs", "mapped in a map", "padded to a width", "padded words", "count", "counted", "lengths"}


@pytest.mark.parametrize("name", without(VARIANTS, CASES))
def test_saved_function_computes_the_same(name, tmp_path):
    module = save(name, str(tmp_path))
    assert results(name, tf.saved_model.load(str(tmp_path)).f) == results(name, module.f)


@pytest.mark.thorough
@NEEDS_TENSORFLOW
def test_tensorflow_computes_the_same(tmp_path):
    expected = {name: results(name, save(name, str(tmp_path / name)).f) for name in CASES}
    done = subprocess.run(
        [interpreter(), "-m", "tests.saved_model.staged_models", tmp_path],
        cwd=ROOT,
        env={**os.environ, "TFCOMPAT_SUBJECT": "tensorflow"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    assert json.loads(done.stdout) == json.loads(json.dumps(expected, default=bytes.decode))


def test_tables_variables_and_signature(tmp_path):
    module = tf.Module()
    words = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))
    module.table = tf.lookup.StaticHashTable(words, 2)
    module.rows = tf.Variable([[1.0], [2.0], [3.0]])
    module.calls = tf.Variable(0)

    @tf.function(input_signature=[texts(None)])
    def embedded(keys):
        module.calls.assign_add(1)
        return {"rows": tf.gather(module.rows, module.table.lookup(keys)), "keys": keys}

    module.f = embedded
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    loaded.rows.assign_add([[1.0]] * 3)
    found = loaded.signatures["serving_default"](keys=tf.constant(["b", "z"]))
    assert {key: value.numpy().tolist() for key, value in found.items()} == {
        "rows": [[3.0], [4.0]],
        "keys": [b"b", b"z"],
    }
    assert loaded.f(tf.constant(["a"]))["rows"].numpy().tolist() == [[2.0]]
    assert loaded.calls.numpy() == 2
    again = tf.saved_model.load(str(tmp_path))
    assert again.f(tf.constant(["a"]))["rows"].numpy().tolist() == [[1.0]]


def test_words_beyond_a_vocabulary(tmp_path):
    numbers = tf.constant([0, 1], tf.int64)
    module = tf.Module()
    module.words = tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], numbers), 3)
    codes = tf.lookup.KeyValueTensorInitializer(tf.constant([10, 20], tf.int64), numbers)
    module.codes = tf.lookup.StaticVocabularyTable(codes, 4, lookup_key_dtype=tf.int32)
    module.others = tf.lookup.StaticVocabularyTable(None, 5)

    @tf.function(input_signature=[texts(None), tf.TensorSpec([None], tf.int32)])
    def found(words, codes):
        return module.words.lookup(words), module.codes.lookup(codes), module.others.lookup(words)

    module.f = found
    arguments = tf.constant(["b", "zz", "a", "q"]), tf.constant([10, 11, 12, 20])
    # As TensorFlow 2.21 computes them.
    wanted = [[1, 3, 0, 4], [0, 5, 2, 1], [2, 2, 4, 3]]
    assert [part.numpy().tolist() for part in found(*arguments)] == wanted
    tf.saved_model.save(module, str(tmp_path))
    assert [part.numpy().tolist() for part in tf.saved_model.load(str(tmp_path)).f(*arguments)] == wanted


def test_functions_read_the_files_of_the_model(tmp_path):
    module = tf.Module()
    for part in ("one", "two"):
        (tmp_path / f"{part}.txt").write_text(part)
        setattr(module, part, tf.saved_model.Asset(str(tmp_path / f"{part}.txt")))
    module.factor = tf.Variable(2.0)

    @tf.function(input_signature=[texts(None)])
    def contents(x):
        mapped = tf.map_fn(lambda y: tf.strings.join([y, tf.io.read_file(module.two.asset_path)]), x)
        return module.one.asset_path, tf.io.read_file(module.one.asset_path), mapped, module.factor * 2.0

    module.f = contents
    tf.saved_model.save(module, str(tmp_path / "model"))
    for part in ("one", "two"):
        (tmp_path / f"{part}.txt").unlink()
    (tmp_path / "model").rename(tmp_path / "moved")
    loaded = tf.saved_model.load(str(tmp_path / "moved"))
    wanted = [os.fsencode(tmp_path / "moved" / "assets" / "one.txt"), b"one", [b"a:two", b"b:two"], 4.0]
    assert [np.asarray(each).tolist() for each in loaded.f(tf.constant(["a:", "b:"]))] == wanted
    assert list(loaded.signatures["serving_default"](x=tf.constant(["a:"]))) == [f"output_{k}" for k in range(4)]


def test_mapped_function_reads_tables_and_variables(tmp_path):
    module = tf.Module()
    words = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))
    module.table = tf.lookup.StaticHashTable(words, 2)
    module.rows = tf.Variable([1.0, 2.0, 3.0])

    def row(text):
        return tf.gather(module.rows, module.table.lookup(tf.strings.lower(text))) * 2.0

    def mapped(keys):
        return tf.map_fn(row, keys, fn_output_signature=tf.float32)

    module.f = tf.function(mapped, input_signature=[texts(None)])
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    loaded.rows.assign_add([1.0, 1.0, 1.0])
    assert loaded.f(tf.constant(["A", "b", "z"])).numpy().tolist() == [4.0, 6.0, 8.0]
    assert loaded.f(tf.constant(["B"])).numpy().tolist() == [6.0]


def test_mapped_function_without_gradient(tmp_path):
    """Its result is a constant for the gradient, or refuses one if it depends on numbers that may have one."""
    module = tf.Module()
    module.w = tf.Variable(2.0)

    def of_strings(keys):
        return tf.map_fn(tf.strings.to_number, keys, fn_output_signature=tf.float32) * module.w

    def of_pairs(keys, scales):
        return tf.map_fn(
            lambda pair: tf.strings.to_number(pair[0]) * pair[1], (keys, scales), fn_output_signature=tf.float32
        )

    module.f = tf.function(of_strings, input_signature=[texts(None)])
    module.g = tf.function(of_pairs, input_signature=[texts(None), tf.TensorSpec([None])])
    tf.saved_model.save(module, str(tmp_path))
    loaded, keys, scales = tf.saved_model.load(str(tmp_path)), tf.constant(["1", "2"]), tf.constant([3.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(scales)
        total = tf.reduce_sum(loaded.f(keys))
        product = loaded.g(keys, scales)
    assert tape.gradient(total, loaded.w).numpy() == 3.0
    assert product.numpy().tolist() == [3.0, 8.0]
    with pytest.raises(LookupError, match="has no gradients of"):
        tape.gradient(product, scales)


def test_random_mapped_function_is_refused(tmp_path):
    def noisy(keys):
        return tf.map_fn(lambda x: tf.strings.to_number(x) + tf.random.normal([]), keys, fn_output_signature=tf.float32)

    module = tf.Module()
    module.f = tf.function(noisy, input_signature=[texts(None)])
    with pytest.raises(NotImplementedError, match="map_fn"):
        tf.saved_model.save(module, str(tmp_path))


def test_string_values_of_calls_are_arguments(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda s: tf.strings.upper(s))
    module.f(tf.constant("first"))
    tf.saved_model.save(module, str(tmp_path))
    assert tf.saved_model.load(str(tmp_path)).f(tf.constant("other")).numpy() == b"OTHER"


def test_python_values_beside_strings_are_kept(tmp_path):
    def shown(given, is_upper, mark=None):
        texts = tf.strings.join([given["x"], given["end"]])
        return tf.strings.upper(texts) if is_upper else tf.strings.join([texts, mark or "."])

    module = tf.Module()
    module.f = tf.function(shown)
    for is_upper in (True, False):
        module.f({"x": tf.constant(["a"]), "end": "z"}, is_upper)
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path)).f
    assert loaded({"x": tf.constant(["b"]), "end": "z"}, True).numpy().tolist() == [b"BZ"]
    assert loaded({"x": tf.constant(["b"]), "end": "z"}, False).numpy().tolist() == [b"bz."]
    with pytest.raises(ValueError, match="Could not find matching concrete function"):
        loaded({"x": tf.constant(["b"]), "end": "y"}, False)


def test_method_of_strings_is_saved(tmp_path):
    class Reader(tf.Module):
        def __init__(self):
            super().__init__()
            self.scale = tf.Variable(2.0)

        @tf.function(input_signature=[texts(None)])
        def __call__(self, texts):
            scale = self.scale
            if tf.size(texts) > 2:
                scale = scale + 1.0
            return tf.strings.to_number(texts) * scale

    reader = Reader()
    tf.saved_model.save(reader, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert loaded(tf.constant(["1", "2"])).numpy().tolist() == [2.0, 4.0]
    assert loaded(tf.constant(["1", "2", "3"])).numpy().tolist() == [3.0, 6.0, 9.0]


def test_functions_that_were_called_with_ragged_and_sparse_tensors(tmp_path):
    module, rows = tf.Module(), tf.ragged.constant([[1.0], [2.0, 3.0]])
    module.factor = tf.Variable(3.0)
    module.sums = tf.function(lambda x, times=2: tf.reduce_sum(x, 1) * module.factor * times)
    module.sums(rows)
    module.padded = tf.function(lambda x: x.to_tensor()).get_concrete_function(rows)
    module.dense = tf.function(tf.sparse.to_dense)
    module.dense(tf.sparse.eye(2))
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    other = tf.ragged.constant([[1.0, 1.0, 4.0], []])
    assert loaded.sums(other).numpy().tolist() == [36.0, 0.0]
    assert loaded.padded(other).numpy().tolist() == [[1.0, 1.0, 4.0], [0.0, 0.0, 0.0]]
    assert loaded.dense(tf.sparse.from_dense([[0.0, 3.0], [1.0, 2.0]])).numpy().tolist() == [[0.0, 3.0], [1.0, 2.0]]


class Boxed(tf.experimental.ExtensionType):
    values: tf.Tensor


@pytest.mark.parametrize(
    ("function", "argument", "message"),
    [
        (lambda boxed: boxed.values, Boxed([1.0]), "the extension type Boxed is not saved"),
        (lambda values: Boxed(values), tf.constant([1.0]), "Boxed"),
    ],
)
def test_extension_types_are_refused(function, argument, message, tmp_path):
    module = tf.Module()
    module.f = tf.function(function)
    module.f(argument)
    with pytest.raises(NotImplementedError, match=message):
        tf.saved_model.save(module, str(tmp_path))


def test_ragged_tensors_in_keyword_only_arguments_are_refused(tmp_path):
    module, rows = tf.Module(), tf.ragged.constant([[1.0], [2.0, 3.0]])
    module.f = tf.function(lambda *, x: x * 2.0)
    module.f(x=rows)
    with pytest.raises(NotImplementedError, match="keyword-only"):
        tf.saved_model.save(module, str(tmp_path))


def test_numbers_of_chosen_rows_of_an_open_length_are_saved(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x: tf.reduce_sum(tf.boolean_mask(x, x > 0.0)), [tf.TensorSpec([None])])
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert [loaded.f(x).numpy() for x in ([1.0, -2.0, 3.0], [1.0], [2.0, 5.0])] == [4, 1, 7]


def sum_of_largest(x, count):
    return tf.reduce_sum(tf.math.top_k(x, count).values)


def test_functions_that_find_sizes_are_refused_with_the_reason(tmp_path):
    module = tf.Module()
    module.f = tf.function(sum_of_largest, [tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)])
    reason = "'sum_of_largest' cannot be saved as a program: .*The value of .* decides a shape"
    with pytest.raises(NotImplementedError, match=reason):
        tf.saved_model.save(module, str(tmp_path))


PNG = tf.io.encode_png(np.arange(12, dtype=np.uint8).reshape(3, 4, 1)).numpy()


def padded_image(content, count):
    return tf.pad(tf.io.decode_png(content), tf.stack([[0, count], [1, 0], [0, 0]]), constant_values=7)


def window_of_image(content, count):
    return tf.slice(tf.io.decode_png(content, channels=1), [count, 0, 0], tf.stack([-1, count + 1, 1]))


@pytest.mark.parametrize("function", [padded_image, window_of_image])
def test_images_are_padded_and_cut_by_computed_numbers(function, tmp_path):
    module = tf.Module()
    module.f = tf.function(function, input_signature=[tf.TensorSpec([], tf.string), tf.TensorSpec([], tf.int32)])
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path)).f
    for count in (0, 1, 2):
        np.testing.assert_array_equal(loaded(PNG, count), function(tf.constant(PNG), tf.constant(count)))
