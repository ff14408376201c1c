"""`tf.Module`: the objects in its attributes, their order, and its name. Expected values are TensorFlow's."""

from __future__ import annotations

import collections
import copy

import pytest

import tfcompat as tf


def variable(name, trainable=True):
    return tf.Variable(1.0, name=name, trainable=trainable)


def names(found):
    return [each.name for each in found]


class Layer(tf.Module):
    def __init__(self, name=None):
        super().__init__(name)
        with self.name_scope:
            self.w = variable("w")
            self.inner = tf.Module(name="inner")


class Model(tf.Module):
    """Attributes of every kind, in no order."""

    def __init__(self):
        super().__init__()
        self.z = variable("z")
        self.a = [variable("a0"), tf.Module(name="listed")]
        self.a[1].v = variable("lv")
        self.m = {"b": variable("mb"), "a": variable("ma", trainable=False), "q": [[variable("deep")]]}
        self.t = (variable("t0"), (variable("t1"),))
        self._h = variable("h")
        self.again = self.z
        self.references = {variable("x").ref()}
        self.sub = Layer("sub")
        self.B = variable("B")
        self.itself = self
        self.tensor = tf.constant(1.0)


OWN = ["B:0", "h:0", "a0:0", "z:0", "ma:0", "mb:0", "deep:0", "t0:0", "t1:0"]


def test_variables_stand_in_the_order_of_attributes_and_those_of_submodules_last():
    model = Model()
    assert names(model.variables) == [*OWN, "lv:0", "sub/w:0"]
    assert isinstance(model.variables, tuple)


def test_trainable_and_other_variables_are_told_apart():
    model = Model()
    assert names(model.trainable_variables) == [n for n in [*OWN, "lv:0", "sub/w:0"] if n != "ma:0"]
    assert names(model.non_trainable_variables) == ["ma:0"]


def test_submodules_come_once():
    assert names(Model().submodules) == ["listed", "sub", "inner"]
    outer = tf.Module()
    outer.a = tf.Module(name="a")
    outer.b = outer.a
    outer.c = [outer.a, tf.Module(name="z")]
    outer.c[1].back = outer
    assert names(outer.submodules) == ["a", "z"]


def test_what_is_added_to_containers_later_is_found():
    module = tf.Module()
    module.values = []
    module.table = {}
    module.values.append(variable("late"))
    module.table["key"] = variable("later")
    assert names(module.variables) == ["later:0", "late:0"]
    del module.table
    assert names(module.variables) == ["late:0"]


def test_containers_of_all_kinds_are_walked():
    module = tf.Module()
    module.o = collections.OrderedDict([("b", variable("b")), ("a", variable("a"))])
    module.dd = collections.defaultdict(list)
    module.dd["k"].append(variable("dd"))
    module.dq = collections.deque([variable("dq")])
    assert names(module.variables) == ["dd:0", "dq:0", "a:0", "b:0"]


def test_dictionary_without_sortable_keys_is_refused():
    module = tf.Module()
    module.bad = {1: variable("x"), "a": variable("y")}
    with pytest.raises(ValueError, match="Error processing property 'bad' of"):
        _ = module.variables


def test_ignored_attributes_are_left_out():
    class Half(tf.Module):
        _TF_MODULE_IGNORED_PROPERTIES = tf.Module._TF_MODULE_IGNORED_PROPERTIES | {"x"}

    module = Half()
    module.x, module.y = variable("x"), variable("y")
    assert names(module.variables) == ["y:0"]


def is_variable(found):
    return isinstance(found, tf.Variable)


def test_flatten_gives_paths():
    Point = collections.namedtuple("Point", "x y")
    module = tf.Module()
    module.p = Point(variable("px"), [variable("py")])
    module.sub = Layer("sub")
    module.table = {"k": variable("k")}
    found = [(path, each.name) for path, each in module._flatten(predicate=is_variable, with_path=True)]
    assert found == [
        (("p", "x"), "px:0"),
        (("p", "y", 0), "py:0"),
        (("table", "k"), "k:0"),
        (("sub", "w"), "sub/w:0"),
    ]


def test_flatten_shows_a_module_in_itself_once_by_path():
    module = tf.Module()
    module.v = variable("v")
    module.itself = module
    paths = [path for path, _ in module._flatten(predicate=is_variable, with_path=True)]
    assert paths == [("v",), ("itself", "v")]


def test_flatten_takes_an_order_and_can_stay_at_the_surface():
    by_end = Model()._flatten(recursive=False, predicate=is_variable, attribute_traversal_key=lambda key: key[::-1])
    assert names(by_end) == ["B:0", "a0:0", "h:0", "ma:0", "mb:0", "deep:0", "z:0", "t0:0", "t1:0"]


@pytest.mark.parametrize(
    ("class_name", "expected"),
    [
        ("HTTPServer", "http_server"),
        ("MyModule", "my_module"),
        ("ABC", "abc"),
        ("A1B2", "a1_b2"),
        ("Conv2D", "conv2_d"),
        ("LSTMCell2", "lstm_cell2"),
        ("_Private", "__private"),
        ("__X", "__x"),
        ("MLP3x", "mlp3x"),
        ("aB", "a_b"),
        ("X_y", "x_y"),
        ("GRUv2", "gr_uv2"),
        ("My_Module", "my__module"),
        ("UPPER_CASE", "upper_case"),
        ("resNet50V2", "res_net50_v2"),
    ],
)
def test_name_of_the_class_becomes_snake_case(class_name, expected):
    assert type(class_name, (tf.Module,), {})().name == expected


@pytest.mark.parametrize("name", ["a", "_a", "A_b", "__", "class", "a1"])
def test_identifiers_are_names(name):
    assert tf.Module(name=name).name == name


@pytest.mark.parametrize("name", ["a b", "a/b", "3a", "", "a.b", "é", "a-b", "a:0"])
def test_other_names_are_refused(name):
    with pytest.raises(ValueError, match=f"'{name}' is not a valid module name"):
        tf.Module(name=name)


@pytest.mark.parametrize("name", [3, b"x"])
def test_names_are_strings(name):
    with pytest.raises(TypeError, match="Module: name must be a string"):
        tf.Module(name=name)


def test_module_remembers_the_scope_that_it_was_created_in():
    with tf.name_scope("out"):
        module = tf.Module(name="m")
    with tf.name_scope("elsewhere"), module.name_scope as scope:
        assert scope == "out/m/"
    assert (module.name, module.name_scope.name) == ("m", "out/m/")


class Lazy(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = None

    @tf.Module.with_name_scope
    def __call__(self, x):
        """Adds w."""
        if self.w is None:
            self.w = variable("w")
            self.next = Layer()
        return x + self.w


def test_method_with_name_scope_runs_in_the_scope_of_its_module():
    lazy = Lazy()
    assert lazy(1.0).numpy() == 2.0
    assert (lazy.w.name, lazy.next.w.name) == ("lazy/w:0", "lazy/layer/w:0")
    assert (Lazy.__call__.__name__, Lazy.__call__.__doc__) == ("__call__", "Adds w.")


class WithoutInit(tf.Module):
    def __init__(self):
        self.w = variable("w")

    @tf.Module.with_name_scope
    def method(self):
        return 1


def test_module_whose_init_was_not_called_says_so():
    module = WithoutInit()
    with pytest.raises(AttributeError, match="'WithoutInit' object has no attribute '_name'; call super"):
        _ = module.name
    with pytest.raises(AttributeError, match="call super"):
        module.method()
    assert names(module.variables) == ["w:0"]


def test_name_cannot_be_set():
    with pytest.raises(AttributeError):
        tf.Module().name = "other"


def test_deep_copy_has_variables_of_its_own():
    layer = Layer("one")
    other = copy.deepcopy(layer)
    other.w.assign(5.0)
    assert (layer.w.numpy(), other.w.numpy(), other.w.name) == (1.0, 5.0, "one/w:0")


def test_gradients_of_a_module_train_it():
    module = tf.Module()
    module.slope, module.offset = tf.Variable(2.0), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        loss = tf.square(module.slope * 3.0 + module.offset)
    gradients = tape.gradient(loss, module.trainable_variables)
    assert [gradient.numpy() for gradient in gradients] == [14.0, 42.0]
