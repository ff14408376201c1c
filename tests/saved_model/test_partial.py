"""SavedModels are loaded into objects that exist already, as Keras 2 loads them."""

from __future__ import annotations

import inspect

import pytest

import tfcompat as tf

load_partial = tf.__internal__.saved_model.load_partial


def static(keys, numbers, default):
    initializer = tf.lookup.KeyValueTensorInitializer(tf.constant(keys), tf.constant(numbers, tf.int64))
    return tf.lookup.StaticHashTable(initializer, default)


class Part(tf.Module):
    def __init__(self, value):
        super().__init__()
        self.weight = tf.Variable(value)
        self.places = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)

    @tf.function(input_signature=(tf.TensorSpec([2], name="numbers"),))
    def scaled(self, x):
        return x * self.weight


class Model(tf.Module):
    def __init__(self, value, keys=("x",), numbers=(0,)):
        super().__init__()
        self.part = Part(value)
        self.words = static(list(keys), list(numbers), -1)

    @tf.function(input_signature=(tf.TensorSpec([None], tf.string),))
    def found(self, words):
        return self.words.lookup(words)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    model = Model([2.0, 3.0], ["a", "b"], [5, 6])
    model.part.places.insert(["k"], [7])
    path = str(tmp_path_factory.mktemp("model"))
    tf.saved_model.save(model, path)
    return path


def test_given_objects_take_the_values_of_the_model(folder):
    part, words = Part([0.0, 0.0]), static(["x"], [0], -9)
    children = []

    def keep(target, name, value):
        children.append(name)
        assert target is part
        del value

    filters = {
        "root": None,
        "root.part": (part, keep),
        "root.part.weight": (part.weight, setattr),
        "root.part.places": (part.places, setattr),
        "root.words": (words, setattr),
    }
    loaded = load_partial(folder, filters)
    assert list(loaded) == list(filters)
    assert loaded["root.part"] is part is loaded["root"].part
    assert loaded["root.words"] is words
    assert part.weight.numpy().tolist() == [2.0, 3.0]
    assert part.places.lookup(tf.constant(["k", "l"])).numpy().tolist() == [7, -1]
    assert words.lookup(tf.constant(["a", "b", "c"])).numpy().tolist() == [5, 6, -9]
    assert sorted(children) == ["places", "scaled", "weight"]
    # Functions of the model use the given variables, and tables with the content of the model.
    scaled = tf.saved_model.load(folder).part.scaled
    assert scaled(tf.constant([1.0, 1.0])).numpy().tolist() == [2.0, 3.0]
    assert loaded["root"].found(tf.constant(["b", "c"])).numpy().tolist() == [6, -1]


def test_functions_use_given_variables(folder):
    weight = tf.Variable([0.0, 0.0])
    loaded = load_partial(folder, {"root": None, "root.part.weight": (weight, setattr)})
    weight.assign([10.0, 20.0])
    assert loaded["root"].part.scaled(tf.constant([1.0, 1.0])).numpy().tolist() == [10.0, 20.0]


def test_functions_list_their_parameters(folder):
    scaled = tf.saved_model.load(folder).part.scaled
    assert scaled.function_spec.arg_names == list(inspect.signature(scaled.python_function).parameters) == ["x"]
    assert scaled.function_spec.input_signature == scaled.input_signature


def test_messages_have_the_kinds_and_signatures_of_objects(folder):
    graph = tf.__internal__.saved_model.parse_saved_model(folder).meta_graphs[0].object_graph_def
    kinds = {node.WhichOneof("kind") for node in graph.nodes}
    assert {"user_object", "function", "variable", "resource"} <= kinds
    functions = [node.function.concrete_functions[0] for node in graph.nodes if node.HasField("function")]
    name = next(name for name in functions if "scaled" in name)
    message = graph.concrete_functions[name].canonicalized_input_signature
    ((spec,), keywords) = tf.__internal__.saved_model.decode_proto(message)
    assert (spec.shape.as_list(), spec.dtype, keywords) == ([2], tf.float32, {})


def test_paths_must_lead_to_objects(folder):
    with pytest.raises(ValueError, match=r"root\.other"):
        load_partial(folder, {"root": None, "root.other": (tf.Variable(0.0), setattr)})
    with pytest.raises(ValueError, match="'part'"):
        load_partial(folder, {"root": None, "part": None})
    with pytest.raises(NotImplementedError, match="root must be among"):
        load_partial(folder, {"root.part": None})
    with pytest.raises(OSError, match="does not exist"):
        tf.__internal__.saved_model.parse_saved_model(f"{folder}/variables")


def test_specs_lose_the_names_of_tensors():
    spec = tf.TensorSpec([2], tf.int32, "x")
    assert spec._without_tensor_names() == tf.TensorSpec([2], tf.int32)
    ragged = tf.RaggedTensorSpec([None, None], tf.int32)
    assert ragged._without_tensor_names() == ragged
