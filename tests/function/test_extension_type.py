"""Extension types: their fields, their specs, and how functions, tapes and `tf.nest` take them."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Mapping

import pytest

import tfcompat as tf


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor

    def total(self):
        return tf.reduce_sum(tf.where(self.mask, self.values, 0.0))

    def __getitem__(self, key):
        return Masked(self.values[key], self.mask[key])

    @tf.function
    def filled(self, other):
        return tf.where(self.mask, self.values, other)

    @tf.function
    def looped_total(self):
        total = 0.0
        for place in range(tf.size(self.values)):
            if self.mask[place]:
                total += self.values[place]
        return total


class Mixed(tf.experimental.ExtensionType):
    x: tf.Tensor
    name: str = "n"
    n: int = 3
    sub: typing.Optional[Masked] = None  # noqa: UP045  # as users write it
    pair: tuple[tf.Tensor, ...] = ()
    table: Mapping[str, tf.Tensor] = {}  # it becomes immutable
    kind: tf.DType = tf.float32
    shape: tf.TensorShape = tf.TensorShape([None])
    either: typing.Union[int, str] = 1  # noqa: UP007


class Node(tf.experimental.ExtensionType):
    value: tf.Tensor
    children: tuple[Node, ...] = ()
    label: Label | None = None


class Label(tf.experimental.ExtensionType):
    text: str


class Unfinished(tf.experimental.ExtensionType):
    part: Missing  # noqa: F821


SOME = Masked([1.0, 2.0, 3.0], [True, False, True])
SPEC = Masked.Spec(tf.TensorSpec([None], tf.float32), tf.TensorSpec([None], tf.bool))


def test_annotations_may_name_classes_that_are_made_later():
    tree = Node(1.0, (Node(2.0, label=Label("leaf")), Node(3.0)))
    summed = tf.function(lambda node: node.value + tf.add_n([child.value for child in node.children]))
    assert summed(tree).numpy() == 6.0
    assert tree.children[0].label.text == "leaf"
    assert Label.Spec("leaf") == Label("leaf")._type_spec
    for make in (Unfinished, Unfinished.Spec):
        with pytest.raises(TypeError, match="Missing"):
            make(1)


def test_methods_may_be_decorated():
    for given in (SOME, Masked([4.0, 5.0, 6.0], [False, True, True])):
        assert given.filled(-1.0).numpy().tolist() == tf.where(given.mask, given.values, -1.0).numpy().tolist()
        assert given.looped_total().numpy() == given.total().numpy()
    assert Masked.filled.experimental_get_tracing_count() == 1


def test_values_become_tensors():
    assert repr(SOME[0]) == (
        "Masked(values=<tf.Tensor: shape=(), dtype=float32, numpy=1.0>, "
        "mask=<tf.Tensor: shape=(), dtype=bool, numpy=True>)"
    )
    assert SOME.total().numpy() == 4.0
    mixed = Mixed([1.0], sub=SOME, pair=([1.0], 2), table={"b": 1, "a": 2.0}, kind="int32")
    assert [part.dtype for part in mixed.pair] == [tf.float32, tf.int32]
    assert (type(mixed.table).__name__, mixed.table["a"].numpy(), len(mixed.table)) == ("ImmutableDict", 2.0, 2)
    assert (mixed.kind, mixed.sub, mixed.name) == (tf.int32, SOME, "n")
    assert isinstance(Masked(tf.Variable([1.0]), [True]).values, tf.Tensor)


def test_instances_do_not_change():
    for change in (
        lambda: setattr(SOME, "values", 3),
        lambda: delattr(SOME, "values"),
        lambda: setattr(SOME, "foo", 3),
    ):
        with pytest.raises(AttributeError, match=r"Cannot mutate attribute `(values|foo)`"):
            change()


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: Masked([1.0]), "missing a required argument: 'mask'"),
        (lambda: Masked([1.0], [True], 3), "too many positional arguments"),
        (lambda: Masked([1.0], [True], foo=3), "unexpected keyword argument 'foo'"),
        (lambda: Masked(object(), [True]), "values: expected a Tensor, got 'object'"),
        (lambda: Mixed([1.0], name=3), "name: expected 'str', got 'int'"),
        (lambda: Mixed([1.0], n=2.5), "n: expected 'int', got 'float'"),
        (lambda: Mixed([1.0], sub=4), "sub: expected .*Masked.*, got 'int'"),
        (lambda: Masked.Spec(3, 4), "values: expected a TensorSpec, got 'int'"),
    ],
)
def test_what_does_not_fit_is_refused(made, message):
    with pytest.raises(TypeError, match=message):
        made()


def test_classes_that_cannot_be():
    with pytest.raises(TypeError, match="In field 'x': Unsupported type annotation 'list'"):
        type(Masked)("Wrong", (tf.experimental.ExtensionType,), {"__annotations__": {"x": list}})
    with pytest.raises(ValueError, match="Field 'Spec' is reserved"):
        type(Masked)("Wrong", (tf.experimental.ExtensionType,), {"__annotations__": {"Spec": int}})
    with pytest.raises(TypeError, match="default value for x: expected 'int', got 'str'"):
        type(Masked)("Wrong", (tf.experimental.ExtensionType,), {"__annotations__": {"x": int}, "x": "a"})
    with pytest.raises(AssertionError, match="abstract base class"):
        tf.experimental.ExtensionType()


def test_equality_is_a_tensor():
    assert (Masked([1.0, 2.0, 3.0], [True, False, True]) == SOME).numpy()
    assert not (Masked([1.0, 2.0, 4.0], [True, False, True]) == SOME).numpy()
    assert (Masked([1.0, 2.0, 4.0], [True, False, True]) != SOME).numpy()
    assert (SOME == 3) is False
    assert (Masked([1.0], [True]) == SOME) is False
    with pytest.raises(TypeError, match="unhashable type: 'Masked'"):
        hash(SOME)


def test_specs():
    known = tf.type_spec_from_value(SOME)
    assert repr(known) == (
        "Masked.Spec(values=TensorSpec(shape=(3,), dtype=tf.float32, name=None), "
        "mask=TensorSpec(shape=(3,), dtype=tf.bool, name=None))"
    )
    assert (known.value_type, SPEC.values.shape.as_list()) == (Masked, [None])
    assert SPEC.is_compatible_with(SOME)
    assert not SPEC.is_compatible_with(Masked([1], [True]))
    assert known.is_subtype_of(SPEC)
    assert not SPEC.is_subtype_of(known)
    shorter = tf.type_spec_from_value(SOME[:2])
    assert known.most_specific_common_supertype([shorter]) == SPEC
    assert len({known, shorter, tf.type_spec_from_value(SOME)}) == 2
    one, other = (tf.type_spec_from_value(Mixed([1.0], n=n)) for n in (1, 2))
    assert one.most_specific_common_supertype([other]) is None


def test_nest_takes_them_apart_where_composites_are_expanded():
    assert tf.nest.flatten(SOME)[0] is SOME
    assert [leaf.shape for leaf in tf.nest.flatten(SOME, expand_composites=True)] == [(3,), (3,)]
    first = tf.nest.map_structure(lambda x: x[:1], SOME, expand_composites=True)
    assert (type(first), first.total().numpy()) == (Masked, 1.0)
    deep = Mixed([1.0], sub=SOME, pair=([1.0], 2), table={"b": 1, "a": 2.0})
    assert [leaf.numpy().tolist() for leaf in tf.nest.flatten(deep, expand_composites=True)] == [
        *([1.0], [1.0, 2.0, 3.0], [True, False, True], [1.0], 2, 2.0, 1),
    ]


def test_functions_take_and_return_them():
    doubled = tf.function(lambda some: Masked(some.values * 2.0, some.mask))
    assert doubled(SOME).values.numpy().tolist() == [2.0, 4.0, 6.0]
    assert doubled(Masked([1.0, 2.0, 5.0], [True] * 3)).values.numpy().tolist() == [2.0, 4.0, 10.0]
    assert doubled.experimental_get_tracing_count() == 1
    plain = tf.function(lambda mixed: mixed.x * mixed.n)
    assert [plain(Mixed(1, n=n)).numpy() for n in (2, 3, 2)] == [2, 3, 2]
    assert plain.experimental_get_tracing_count() == 2


def test_signatures_name_specs():
    total = tf.function(lambda some: some.total(), input_signature=[SPEC])
    assert [total(SOME).numpy(), total(Masked([1.0], [True])).numpy()] == [4.0, 1.0]
    with pytest.raises(TypeError, match=r"Binding inputs to tf\.function failed"):
        total(Masked([1], [True]))


def test_loops_and_branches_carry_them():
    grown = tf.while_loop(lambda i, _: i < 2, lambda i, a: (i + 1, Masked(a.values + 1.0, a.mask)), [0, SOME])[1]
    assert grown.values.numpy().tolist() == [3.0, 4.0, 5.0]
    chosen = tf.function(lambda flag: tf.cond(flag, lambda: SOME, lambda: Masked(SOME.values * 2.0, SOME.mask)))
    assert chosen(tf.constant(False)).total().numpy() == 8.0


def test_gradients_reach_what_they_are_made_of():
    values = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.function(lambda some: some.total() ** 2)(Masked(values, [True, False, True]))
    assert tape.gradient(y, values).numpy().tolist() == [8.0, 0.0, 8.0]


def test_constructors_and_checks_of_users():
    class Pair(tf.experimental.ExtensionType):
        a: tf.Tensor
        b: int

        def __init__(self, x, is_whole):
            self.a = x
            if is_whole:
                self.b = 2

        def __validate__(self):
            self.a.shape.assert_has_rank(1)

    assert Pair([1.0], True).b == 2
    with pytest.raises(ValueError, match=r"Missing required fields: \{'b'\}"):
        Pair([1.0], False)
    with pytest.raises(ValueError, match="must have rank 1"):
        Pair([[1.0]], True)


def test_subclasses_add_fields():
    class Scaled(Masked):
        scale: float = 1.0

    scaled = Scaled([1.0], [True], 2.0)
    assert (scaled.scale, scaled.total().numpy(), isinstance(scaled, Masked)) == (2.0, 1.0, True)


def test_ragged_fields_are_no_lists():
    class Rows(tf.experimental.ExtensionType):
        rows: tf.RaggedTensor

    rows = Rows(tf.ragged.constant([[1, 2], [3]]))
    assert tf.function(lambda each: each.rows * 2)(rows).to_list() == [[2, 4], [6]]
    with pytest.raises(TypeError, match="rows"):
        Rows([[1]])


class Shaped(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor

    class Spec:
        def __init__(self, shape, dtype=tf.float32):
            self.values = tf.TensorSpec(shape, dtype)
            self.mask = tf.TensorSpec(shape, tf.bool)

        def __repr__(self):
            return f"Shaped.Spec({self.shape})"

        shape = property(lambda self: self.values.shape)


def test_specs_may_be_written_by_users():
    some = Shaped([1.0, 2.0], [True, False])
    assert repr(tf.type_spec_from_value(some)) == "Shaped.Spec((2,))"
    assert Shaped.Spec([2]) == tf.type_spec_from_value(some)
    assert repr(Shaped.Spec([2]).most_specific_common_supertype([Shaped.Spec([3])])) == "Shaped.Spec((None,))"
    doubled = tf.function(lambda each: each.values * 2.0, input_signature=[Shaped.Spec([None])])
    assert doubled(some).numpy().tolist() == [2.0, 4.0]
    with pytest.raises(AttributeError, match="outside the custom constructor of ExtensionTypeSpec"):
        Shaped.Spec([2]).values = 3


@pytest.mark.parametrize(
    ("spec", "kind", "message"),
    [
        (3, ValueError, "Wrong.Spec must be a nested class; got 3"),
        (type("Spec", (Masked.Spec,), {}), ValueError, "must be directly subclassed from tf.TypeSpec"),
        (type("Spec", (), {"__init__": lambda self: id(self)}), ValueError, "Missing required fields: {'v'}"),
        (type("Spec", (), {"__init__": lambda self: setattr(self, "v", 3)}), TypeError, "v: expected a TensorSpec"),
    ],
)
def test_specs_of_users_that_cannot_be(spec, kind, message):
    with pytest.raises(kind, match=message):
        type(Masked)(
            "Wrong", (tf.experimental.ExtensionType,), {"__annotations__": {"v": tf.Tensor}, "Spec": spec}
        ).Spec()


class Scaled(tf.experimental.ExtensionType):
    values: tf.Tensor

    def __init__(self, numbers, factor=2):
        self.values = tf.convert_to_tensor(numbers) * factor


class Named(Scaled):
    name: str = "n"


def test_each_class_has_a_constructor_of_its_own():
    assert Scaled([1]).values.numpy().tolist() == [2]
    assert (Named([1]).values.numpy().tolist(), Named([1], "m").name) == ([1], "m")
    with pytest.raises(TypeError):
        Named([1], factor=3)


def test_constructors_show_the_fields():
    shown = inspect.signature(Mixed.__init__).parameters
    assert list(shown)[:3] == ["self", "x", "name"]
    assert (shown["n"].default, shown["n"].annotation, shown["x"].default) == (3, int, inspect.Parameter.empty)
    assert list(inspect.signature(Scaled).parameters) == ["numbers", "factor"]
    assert list(inspect.signature(Named).parameters) == ["values", "name"]
    assert str(inspect.signature(Masked.Spec)) == "(values, mask)"


def field(kind, value):
    return type(Masked)("Made", (tf.experimental.ExtensionType,), {"__annotations__": {"x": kind}})(value).x


def test_members_of_a_union_are_tried_in_order():
    assert field(typing.Union[tf.Tensor, str], "a").numpy() == b"a"  # noqa: UP007
    assert field(typing.Union[str, tf.Tensor], "a") == "a"  # noqa: UP007
    assert field(int | tf.Tensor, 1.5).numpy() == 1.5


def test_keys_of_mappings_and_empty_tuples():
    assert field(Mapping[tuple[int, str], int], {(1, "a"): 2}) == {(1, "a"): 2}
    assert field(tuple[()], ()) == ()
    for kind, value in (
        (Mapping[str, int], {1: 1}),
        (tuple[()], (1,)),
        (typing.Mapping, {}),
        (Mapping[object, int], {}),
    ):
        with pytest.raises(TypeError):
            field(kind, value)


@pytest.mark.parametrize("name", ["self", "value_type", "is_compatible_with"])
def test_names_of_members_are_reserved(name):
    with pytest.raises(ValueError, match="reserved"):
        type(Masked)("Made", (tf.experimental.ExtensionType,), {"__annotations__": {name: int}})
