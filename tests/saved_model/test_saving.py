"""`tf.saved_model.save`: the saved objects, their names, and refusals."""

from __future__ import annotations

import collections
import os
import pathlib

import jax
import numpy as np
import pytest

import tfcompat as tf


def spec(*sizes, dtype="float32", name=None):
    return tf.TensorSpec(list(sizes), getattr(tf, dtype), name=name)


def scaled(value=2.0):
    module = tf.Module()
    module.v = tf.Variable(value)
    module.f = tf.function(lambda x: x * module.v, input_signature=[spec(None)])
    return module


def test_folder_has_the_files_of_a_model(tmp_path):
    path = tmp_path / "model"
    assert not tf.saved_model.contains_saved_model(str(path))
    tf.saved_model.save(scaled(), path)
    assert tf.saved_model.contains_saved_model(str(path))
    assert {"assets", "saved_model.pb", "variables"} <= set(os.listdir(path))
    assert tf.train.load_variable(str(path / "variables" / "variables"), "v/.ATTRIBUTES/VARIABLE_VALUE") == 2.0


def test_only_function_with_a_signature_becomes_the_signature(tmp_path):
    tf.saved_model.save(scaled(), str(tmp_path))
    [(name, function)] = tf.saved_model.load(str(tmp_path)).signatures.items()
    assert name == "serving_default"
    assert function(x=tf.constant([3.0]))["output_0"].numpy().tolist() == [6.0]
    assert function(tf.constant([3.0]))["output_0"].numpy().tolist() == [6.0]
    assert function.structured_outputs == {"output_0": spec(None, name="output_0")}


def test_signatures_are_functions_by_name(tmp_path):
    module = scaled()
    module.g = tf.function(lambda a, b: {"sum": a + b, "rest": (a - b)})
    concrete = module.g.get_concrete_function(spec(2, name="first"), spec(2))
    tf.saved_model.save(module, str(tmp_path), signatures={"f": module.f, "g": concrete})
    found = tf.saved_model.load(str(tmp_path)).signatures
    assert sorted(found) == ["f", "g"]
    result = found["g"](first=tf.constant([1.0, 2.0]), b=tf.constant([3.0, 5.0]))
    assert {key: value.numpy().tolist() for key, value in result.items()} == {"sum": [4.0, 7.0], "rest": [-2.0, -3.0]}


@pytest.mark.parametrize(
    ("signature", "problem"),
    [
        pytest.param(tf.function(lambda x: x), "Only `tf.functions` with an input signature", id="none"),
        pytest.param(tf.function(lambda: {1: tf.constant(0.0)}, input_signature=[]), "non-string key", id="key"),
        pytest.param(
            tf.function(lambda: {"a": [tf.constant(0.0)]}, input_signature=[]), "non-Tensor value", id="value"
        ),
    ],
)
def test_function_that_is_no_signature(signature, problem, tmp_path):
    with pytest.raises(ValueError, match=problem):
        tf.saved_model.save(tf.Module(), str(tmp_path), signatures=signature)


def test_object_that_is_not_trackable(tmp_path):
    with pytest.raises(ValueError, match="Expected an object of type `Trackable`"):
        tf.saved_model.save([tf.Variable(1.0)], str(tmp_path))


def test_variable_that_the_object_does_not_have(tmp_path):
    module, v = tf.Module(), tf.Variable(1.0)
    module.f = tf.function(lambda: v + 1.0, input_signature=[])
    with pytest.raises(AssertionError, match="untracked"):
        tf.saved_model.save(module, str(tmp_path))


def test_attribute_with_the_name_of_signatures(tmp_path):
    module = tf.Module()
    module.signatures = tf.Variable(1.0)
    with pytest.raises(ValueError, match="reserved attribute"):
        tf.saved_model.save(module, str(tmp_path))


def test_function_that_was_never_called(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x: x)
    tf.saved_model.save(module, str(tmp_path))
    with pytest.raises(ValueError, match="Found zero restored functions"):
        tf.saved_model.load(str(tmp_path)).f(1.0)


def test_arguments_that_fit_no_signature(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x, flag=False: -x if flag else x)
    module.f(tf.constant([1.0, 2.0]))
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert loaded.f([1.0, 2.0]).numpy().tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="Could not find matching concrete function"):
        loaded.f(tf.constant([1.0, 2.0]), flag=True)
    with pytest.raises(ValueError, match="Could not find matching concrete function"):
        loaded.f(tf.constant([1.0]))


def test_sizes_that_a_window_requires_to_be_larger_than_1(tmp_path):
    module = tf.Module()
    open_sizes = [spec(None, None, None, 1)]
    module.f = tf.function(lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID"), input_signature=open_sizes)
    tf.saved_model.save(module, tmp_path)
    pooled = tf.saved_model.load(tmp_path).f
    for batch, rows, columns in ((1, 2, 2), (3, 5, 4)):
        x = tf.reshape(tf.range(float(batch * rows * columns)), [batch, rows, columns, 1])
        assert np.array_equal(pooled(x), tf.nn.max_pool2d(x, 2, 2, "VALID"))


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("stride", [1, 2, 3])
def test_transposed_convolutions_keep_their_shapes(tmp_path, stride, padding):
    images = tf.reshape(tf.cos(tf.range(32.0)), [2, 4, 4, 1])

    def spread(x):
        found = []
        for size in range(1, 7):
            extent = 4 * stride if padding == "SAME" else 3 * stride + max(size, stride)
            filters = tf.reshape(tf.sin(tf.range(float(size * size))), [size, size, 1, 1])
            found.append(tf.nn.conv2d_transpose(x, filters, [2, extent, extent, 1], stride, padding))
        return found

    module = tf.Module()
    module.f = tf.function(spread, input_signature=[spec(2, 4, 4, 1)])
    tf.saved_model.save(module, tmp_path)
    for found, wanted in zip(tf.saved_model.load(tmp_path).f(images), spread(images), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def test_open_sizes_that_an_op_requires_to_be_equal(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x, y: tf.concat([x, y], 1), input_signature=[spec(None, 2), spec(None, 1)])
    tf.saved_model.save(module, tmp_path)
    found = tf.saved_model.load(tmp_path).f(tf.ones([3, 2]), tf.zeros([3, 1]))
    assert found.numpy().tolist() == [[1.0, 1.0, 0.0]] * 3


@pytest.mark.parametrize(
    ("function", "shapes", "other"),
    [
        pytest.param(lambda x, y: x @ y, [(2, 3), (3, 4)], (2, 4), id="product"),
        pytest.param(
            lambda x, y: tf.matmul(x, y, transpose_b=True),
            [(2, 3), (4, 3)],
            (4, 2),
            id="transposed",
            marks=pytest.mark.thorough,
        ),
        pytest.param(
            lambda x, y: x @ y @ tf.transpose(x @ y), [(2, 3), (3, 4)], (2, 4), id="twice", marks=pytest.mark.thorough
        ),
        pytest.param(lambda x, y: x @ y, [(2, 3, 4), (2, 4, 5)], (2, 3, 5), id="batch"),
        pytest.param(
            lambda x, y: tf.einsum("bqhd,bkhd->bhqk", x, y),
            [(2, 3, 4, 5), (2, 7, 4, 5)],
            (2, 7, 5, 4),
            id="attention",
            marks=pytest.mark.thorough,
        ),
        pytest.param(
            lambda x, y: tf.einsum("ij,kj,kl->il", x, y, tf.transpose(x)),
            [(4, 3), (3, 3)],
            (3, 4),
            id="three",
            marks=pytest.mark.thorough,
        ),
        pytest.param(
            lambda x, y: tf.tensordot(x, y, [[1], [0]]),
            [(2, 3), (3, 4)],
            (2, 4),
            id="tensordot",
            marks=pytest.mark.thorough,
        ),
        pytest.param(tf.linalg.matvec, [(2, 3), (3,)], (2,), id="vector"),
        pytest.param(lambda x, y: tf.concat([x, y], 1), [(2, 3), (2, 4)], (3, 4), id="concat"),
    ],
)
def test_open_sizes_that_an_op_of_two_tensors_requires_to_be_equal(function, shapes, other, tmp_path):
    module = tf.Module()
    module.f = tf.function(function, input_signature=[spec(*[None] * len(shape)) for shape in shapes])
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path).f
    x, y = (tf.reshape(tf.range(float(np.prod(shape))), shape) for shape in shapes)
    assert np.array_equal(loaded(x, y), function(x, y))
    with pytest.raises(tf.errors.InvalidArgumentError):
        loaded(x, tf.ones(other))


def test_function_that_was_called_for_open_sizes_is_saved_for_any_size(tmp_path):
    module = tf.Module()
    module.inner = tf.function(lambda x: x * tf.cast(tf.shape(x)[0], x.dtype))

    def outer(x):
        module.requested = module.inner.get_concrete_function(x[0])
        return module.inner(x[:, 0])

    module.outer = tf.function(outer, input_signature=[spec(None, None, 3)])
    assert module.outer(tf.ones([4, 5, 3])).numpy().tolist() == [[4.0] * 3] * 4
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert loaded.inner(tf.ones([7, 3])).numpy().tolist() == [[7.0] * 3] * 7
    assert loaded.requested(tf.ones([2, 3])).numpy().tolist() == [[2.0] * 3] * 2
    assert loaded.outer(tf.ones([2, 9, 3])).numpy().tolist() == [[2.0] * 3] * 2


def test_size_that_an_op_fixes_is_saved_as_an_open_one(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x: tf.split(x[:, :4], 2, 1), input_signature=[spec(None, None)])
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path).f
    x = tf.reshape(tf.range(10.0), [2, 5])
    assert [part.numpy().tolist() for part in loaded(x)] == [[[0.0, 1.0], [5.0, 6.0]], [[2.0, 3.0], [7.0, 8.0]]]
    assert [part.shape for part in loaded(x[:, :2])] == [(2, 1), (2, 1)]


def test_model_replaces_an_older_one(tmp_path):
    path = str(tmp_path)
    (tmp_path / "note.txt").write_text("kept")
    for value in (1.0, 5.0):
        tf.saved_model.save(scaled(value), path)
    loaded = tf.saved_model.load(path)
    assert loaded.v.numpy() == 5.0
    assert loaded.f(tf.constant([2.0])).numpy().tolist() == [10.0]
    assert (tmp_path / "note.txt").read_text() == "kept"


def test_functions_that_are_no_attributes_any_more_are_not_saved(tmp_path):
    module = scaled()
    module.g = tf.function(lambda x: x + module.v, input_signature=[spec(None)])
    module.g = None
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert hasattr(loaded, "f")
    assert not hasattr(loaded, "g")


def test_functions_are_exported_once(tmp_path, monkeypatch):
    """A model that is saved again has the values of that time, and the functions that were traced since."""
    exports, export = [], jax.export.export
    module = scaled()

    def exported(**options):
        exports.clear()
        with monkeypatch.context() as patch:
            patch.setattr(jax.export, "export", lambda *args, **kwargs: exports.append(args) or export(*args, **kwargs))
            tf.saved_model.save(module, str(tmp_path), options=tf.saved_model.SaveOptions(**options))
        return len(exports)

    assert exported() == 3  # with two derivatives
    module.v.assign(7.0)
    assert exported() == 0
    assert tf.saved_model.load(str(tmp_path)).f(tf.constant([2.0])).numpy().tolist() == [14.0]
    module.g = tf.function(lambda x: x + module.v, input_signature=[spec(None)])
    assert exported(experimental_custom_gradients=False) == 2
    assert exported() == 3
    assert tf.saved_model.load(str(tmp_path)).g(tf.constant([2.0])).numpy().tolist() == [9.0]


def test_variables_keep_their_properties(tmp_path):
    module = tf.Module()
    module.fixed = tf.Variable([1.0], trainable=False, name="weight")
    module.open = tf.Variable([1.0, 2.0], shape=[None])
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert (loaded.fixed.trainable, loaded.open.trainable) == (False, True)
    assert loaded.fixed.name == "weight:0"
    assert loaded.open.shape.as_list() == [None]
    loaded.open.assign([1.0, 2.0, 3.0])


def test_loaded_model_is_trained_and_saved(tmp_path):
    tf.saved_model.save(scaled(), str(tmp_path / "first"))
    loaded = tf.saved_model.load(str(tmp_path / "first"))
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(loaded.f(tf.constant([1.0, 2.0])) - 1.0))
        loaded.v.assign_sub(0.1 * tape.gradient(loss, loaded.v))
    assert loaded.v.numpy() == pytest.approx(0.6)
    tf.saved_model.save(loaded, str(tmp_path / "second"))
    again = tf.saved_model.load(str(tmp_path / "second"))
    assert again.f(tf.constant([10.0])).numpy() == pytest.approx([6.0])


@pytest.mark.parametrize("decorate", [lambda f: f, tf.function], ids=["eager", "function"])
def test_second_derivatives_of_a_loaded_function(decorate, tmp_path):
    module = tf.Module()
    module.w = tf.Variable([[1.0, 2.0], [3.0, 0.5]])
    module.f = tf.function(lambda x: tf.reduce_sum(tf.tanh(x @ module.w) ** 3), input_signature=[spec(None, 2)])
    tf.saved_model.save(module, str(tmp_path))
    x = tf.constant([[1.0, -1.0], [0.5, 2.0]])

    def penalty(function, w):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = function(x)
            loss = tf.reduce_sum(tf.square(inner.gradient(y, x)))
        return outer.gradient(loss, [x, w])

    loaded = tf.saved_model.load(str(tmp_path))
    found = decorate(lambda: penalty(loaded.f, loaded.w))()
    for one, other in zip(found, penalty(module.f, module.w), strict=True):
        assert one.numpy() == pytest.approx(other.numpy(), rel=1e-4, abs=1e-5)


def test_gradient_of_a_loss_whose_rule_closes_over_its_labels(caplog, tmp_path):
    module = tf.Module()
    module.w = tf.Variable([[0.5, -1.0, 2.0], [1.0, 0.0, -0.5]])

    def loss(x, labels):
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels * 2, x @ module.w)

    module.loss = tf.function(loss, input_signature=[spec(None, 2), spec(None, dtype="int64")])
    tf.saved_model.save(module, tmp_path)
    assert not caplog.records
    x, labels = tf.constant([[1.0, 2.0], [0.5, -1.0]]), tf.constant([1, 0], tf.int64)
    loaded = tf.saved_model.load(tmp_path)
    gradients = []
    for each in (module, loaded):
        with tf.GradientTape() as tape:
            value = each.loss(x, labels)
        gradients.append(tape.gradient(value, each.w).numpy())
    assert np.allclose(*gradients, rtol=1e-5)


def test_gradient_of_a_function_of_strings(tmp_path):
    module = tf.Module()
    module.v = tf.Variable(3.0)
    module.f = tf.function(
        lambda s: tf.strings.to_number(s) * module.v**2, input_signature=[spec(None, dtype="string")]
    )
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(loaded.f(tf.constant(["1", "2"])))
    assert tape.gradient(loss, loaded.v).numpy() == 18.0


def test_loaded_function_is_called_in_a_function(tmp_path):
    tf.saved_model.save(scaled(), str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))

    @tf.function
    def twice(x):
        return loaded.f(loaded.f(x)), loaded.signatures["serving_default"](x)["output_0"]

    assert [part.numpy().tolist() for part in twice(tf.constant([1.0, 2.0]))] == [[4.0, 8.0], [2.0, 4.0]]


def test_loaded_function_is_mapped_over_rows(tmp_path):
    tf.saved_model.save(scaled(), str(tmp_path))
    function = tf.saved_model.load(str(tmp_path)).f
    rows = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    wanted = [[2.0, 4.0], [6.0, 8.0]]
    assert [row.numpy().tolist() for row in tf.data.Dataset.from_tensor_slices(rows).map(function)] == wanted
    assert tf.vectorized_map(function, rows).numpy().tolist() == wanted
    with tf.GradientTape() as tape:
        tape.watch(rows)
        result = function(rows[0])
    assert tape.jacobian(result, rows)[..., 0, :].numpy().tolist() == [[2.0, 0.0], [0.0, 2.0]]


def test_files_with_one_name(tmp_path):
    module = tf.Module()
    for part in ("one", "two"):
        (tmp_path / part).mkdir()
        (tmp_path / part / "words.txt").write_text(part)
        setattr(module, part, tf.saved_model.Asset(str(tmp_path / part / "words.txt")))
    tf.saved_model.save(module, str(tmp_path / "model"))
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    for part in ("one", "two"):
        path = pathlib.Path(os.fsdecode(getattr(loaded, part).asset_path.numpy()))
        assert path.parent == tmp_path / "model" / "assets"
        assert path.read_text() == part


def test_aliases_of_functions(tmp_path):
    module = scaled()
    options = tf.saved_model.SaveOptions(function_aliases={"scale": module.f})
    tf.saved_model.save(module, str(tmp_path), options=options)
    wanted = tf.saved_model.LoadOptions(experimental_load_function_aliases=True)
    loaded = tf.saved_model.load(str(tmp_path), options=wanted)
    assert list(loaded.function_aliases) == ["scale"]
    assert loaded.function_aliases["scale"](tf.constant([1.0])).numpy().tolist() == [2.0]


def test_aliases_of_concrete_functions(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x: x + 1.0).get_concrete_function(spec())
    for aliased in (module.f, [module.f]):
        options = tf.saved_model.SaveOptions(function_aliases={"next": aliased})
        tf.saved_model.save(module, str(tmp_path), options=options)
        wanted = tf.saved_model.LoadOptions(experimental_load_function_aliases=True)
        [function] = tf.saved_model.load(str(tmp_path), options=wanted).function_aliases["next"]
        assert function(tf.constant(1.0)).numpy() == 2.0
    with pytest.raises(TypeError, match="Functions in `function_aliases` should be created"):
        tf.saved_model.save(module, str(tmp_path), options=tf.saved_model.SaveOptions(function_aliases={"next": 1}))


def test_named_tuples_are_loaded_as_tuples(tmp_path):
    module = tf.Module()
    module.pair = collections.namedtuple("Pair", "left right")(tf.Variable(1.0), tf.Variable(2.0))
    tf.saved_model.save(module, str(tmp_path))
    assert [each.numpy() for each in tf.saved_model.load(str(tmp_path)).pair] == [1.0, 2.0]


def test_no_model_is_saved_in_a_function(tmp_path):
    with pytest.raises(AssertionError, match=r"not supported inside a traced @tf\.function"):
        tf.function(lambda: tf.saved_model.save(tf.Module(), str(tmp_path)))()


def test_options_are_checked():
    options = tf.saved_model.SaveOptions(experimental_variable_policy="SAVE_variable_devices")
    assert options.experimental_variable_policy is tf.saved_model.experimental.VariablePolicy.SAVE_VARIABLE_DEVICES
    with pytest.raises(ValueError, match="invalid VariablePolicy value: other"):
        tf.saved_model.LoadOptions(experimental_variable_policy="other")
    with pytest.raises(TypeError, match="list of strings"):
        tf.saved_model.SaveOptions(namespace_whitelist="a")
    with pytest.raises(ValueError, match="disabled in OSS"):
        tf.saved_model.SaveOptions(experimental_image_format=True)


def test_keras_layer_of_an_exported_model(tmp_path):
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(2)])
    model.export(str(tmp_path), verbose=False)
    x = np.ones([2, 3], np.float32)
    layer = tf.keras.layers.TFSMLayer(str(tmp_path), call_endpoint="serve")
    assert layer(x).numpy() == pytest.approx(model(x).numpy(), rel=1e-6)
    assert len(layer.trainable_weights) == 2


@pytest.mark.parametrize(
    ("call", "error"),
    [
        pytest.param(lambda f, x: f(x, x), TypeError, id="places"),
        pytest.param(lambda f, x: f(x, b=x), TypeError, id="place"),
        pytest.param(lambda f, x: f(b=x), TypeError, id="missing"),
        pytest.param(lambda f, x: f(a=x, b=x, c=x), TypeError, id="more"),
        pytest.param(lambda f, x: f(a=tf.constant([1]), b=x), tf.errors.InvalidArgumentError, id="dtype"),
    ],
)
def test_signature_takes_its_tensors_by_name(call, error, tmp_path):
    module, x = tf.Module(), tf.constant([1.0, 2.0])
    spec = tf.TensorSpec([None], tf.float32)
    module.f = tf.function(lambda b, a: b - 2.0 * a, input_signature=[spec, spec])
    tf.saved_model.save(module, str(tmp_path))
    function = tf.saved_model.load(str(tmp_path)).signatures["serving_default"]
    assert function(a=x, b=x)["output_0"].numpy().tolist() == [-1.0, -2.0]
    with pytest.raises(error):
        call(function, x)


def test_shapes_that_jax_cannot_compute_for_all_sizes_are_refused(tmp_path):
    class Rows(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None, None, None])])
        def __call__(self, x):
            return tf.reshape(x, [-1, 6])

    with pytest.raises(NotImplementedError, match=r"'__call__' cannot be saved as a program: its shapes can't be comp"):
        tf.saved_model.save(Rows(), str(tmp_path))
