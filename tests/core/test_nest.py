"""`tf.nest` as TensorFlow 2.21 behaves."""

from __future__ import annotations

from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque, namedtuple
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType, SimpleNamespace

import numpy as np
import pytest

from tests.naming import name_of
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.types import nest
from tfcompat._core.types.dtype import float32, int32
from tfcompat._core.types.shape import TensorShape

Pair = namedtuple("Pair", "b a")
OtherPair = namedtuple("OtherPair", "b a")
SamePair = namedtuple("Pair", "b a")


class SubPair(Pair):
    __slots__ = ()


class SubList(list):
    pass


class SubTuple(tuple):
    __slots__ = ()


class SubDict(dict):
    pass


class DictThatNeedsArguments(dict):
    def __init__(self, first):
        super().__init__(a=first)


class FrozenMapping(Mapping):
    def __init__(self, pairs):
        self._values = dict(pairs)

    def __getitem__(self, key):
        return self._values[key]

    def __iter__(self):
        return iter(self._values)

    def __len__(self):
        return len(self._values)

    def __eq__(self, other):
        return type(other) is FrozenMapping and list(self.items()) == list(other.items())


class FrozenSequence(Sequence):
    def __init__(self, values):
        self.values = values

    def __getitem__(self, position):
        return self.values[position]

    def __len__(self):
        return len(self.values)


@dataclass
class Plain:
    x: int


@dataclass
class Tagged:
    tag: str
    x: object

    def __tf_flatten__(self):
        return (self.tag,), (self.x,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(metadata[0], *components)


@dataclass
class TaggedToo(Tagged):
    pass


class HalfCustom:
    def __tf_flatten__(self):
        return (), (1,)


class Attrs:
    """A class like those of the attrs package: fields in the order of the constructor."""

    __attrs_attrs__ = (SimpleNamespace(name="y"), SimpleNamespace(name="x"))

    def __init__(self, y, x):
        self.y, self.x = y, x

    def __eq__(self, other):
        return (self.y, self.x) == (other.y, other.x)


class Rows:
    """A composite tensor of two components, with a type spec."""

    def __init__(self, values, indices, dtype=float32):
        self.values, self.indices, self.dtype = values, indices, dtype

    def _flatten_composite(self):
        return [self.values, self.indices]

    @classmethod
    def _unflatten_composite(cls, spec, leaves):
        return cls(*leaves, spec.dtype)

    @property
    def _type_spec(self):
        return TensorSpec(None, self.dtype)

    def __eq__(self, other):
        return (self.values, self.indices, self.dtype) == (other.values, other.indices, other.dtype)


class Bare:
    """A composite tensor without a type spec."""

    def __init__(self, value):
        self.value = value

    def _flatten_composite(self):
        return [self.value]

    @classmethod
    def _unflatten_composite(cls, spec, leaves):
        return type(spec)(*leaves)


ROWS = Rows(1, 2)
ARRAY = np.array([1, 2])

FLATTENED = [
    (1, [1]),
    (None, [None]),
    ("abc", ["abc"]),
    (b"ab", [b"ab"]),
    ([], []),
    ([[], ()], []),
    ({}, []),
    ([1, [2, (3, None)], "ab"], [1, 2, 3, None, "ab"]),
    ({"b": 1, "a": [2, 3]}, [2, 3, 1]),
    ({2: 1, 1: 2}, [2, 1]),
    ({1.5: 1, 1: 2}, [2, 1]),
    ({(1, 2): 3, (0, 5): 4}, [4, 3]),
    (OrderedDict([("b", 1), ("a", 2)]), [2, 1]),
    (SubDict(b=1, a=2), [2, 1]),
    (defaultdict(list, b=1, a=2), [2, 1]),
    (UserDict(b=1, a=2), [2, 1]),
    (FrozenMapping({"b": 1, "a": 2}), [2, 1]),
    (MappingProxyType({"b": 1, "a": 2}), [2, 1]),
    (ChainMap({"a": 1}, {"b": 2}), [1, 2]),
    ({"b": 1, "a": 2}.keys(), ["b", "a"]),
    ({"b": 1, "a": 2}.values(), [1, 2]),
    ({"b": 1, "a": 2}.items(), ["b", 1, "a", 2]),
    (Pair(1, 2), [1, 2]),
    (SubPair(1, [2]), [1, 2]),
    (SubList([1, 2]), [1, 2]),
    (SubTuple((1, 2)), [1, 2]),
    (range(3), [0, 1, 2]),
    (deque([1, 2]), [1, 2]),
    (UserList([1, 2]), [1, 2]),
    (FrozenSequence([1, 2]), [1, 2]),
    (bytearray(b"ab"), [97, 98]),
    (Attrs(1, [2]), [1, 2]),
    (Tagged("m", [2, 3]), [2, 3]),
]
LEAVES = [
    *(1, None, "a", {1}, frozenset([1]), iter([1]), slice(1), ARRAY, TensorShape([1]), float32, TensorSpec([1]), ...),
    *(list, Tagged, Plain(1), HalfCustom(), ROWS),
]


@pytest.mark.parametrize(("structure", "leaves"), FLATTENED, ids=name_of)
def test_flatten(structure, leaves):
    assert nest.flatten(structure) == leaves


@pytest.mark.parametrize("leaf", LEAVES, ids=name_of)
def test_everything_else_is_a_leaf(leaf):
    assert not nest.is_nested(leaf)
    assert nest.flatten(leaf)[0] is leaf
    assert nest.flatten([leaf])[0] is leaf


@pytest.mark.parametrize("structure", [structure for structure, _ in FLATTENED[4:]], ids=name_of)
def test_containers_are_nested(structure):
    assert nest.is_nested(structure)


@pytest.mark.parametrize("keys", [(2, "a"), (None, "a"), (b"a", "a"), ((1, "a"), (1, 2))], ids=name_of)
def test_flatten_refuses_keys_that_cannot_be_sorted(keys):
    with pytest.raises(TypeError):
        nest.flatten(dict.fromkeys(keys))


def test_flatten_of_a_structure_in_itself_raises():
    structure = []
    structure.append(structure)
    with pytest.raises(RecursionError):
        nest.flatten(structure)


@pytest.mark.parametrize(
    ("structure", "doubled"),
    [
        (1, 2),
        ([1, (2, {"a": 3})], [2, (4, {"a": 6})]),
        (OrderedDict([("b", 1), ("a", 2)]), OrderedDict([("b", 2), ("a", 4)])),
        (defaultdict(list, b=1, a=2), defaultdict(list, b=2, a=4)),
        (SubDict(b=1), SubDict(b=2)),
        (UserDict(b=1), UserDict(b=2)),
        (Counter("abb"), Counter("aabbbb")),
        (FrozenMapping({"b": 1, "a": 2}), FrozenMapping({"b": 2, "a": 4})),
        (Pair(1, 2), Pair(2, 4)),
        (SubPair(1, 2), SubPair(2, 4)),
        (SubList([1]), SubList([2])),
        (SubTuple([1]), SubTuple([2])),
        (deque([1, 2]), deque([2, 4])),
        (UserList([1, 2]), UserList([2, 4])),
        (bytearray(b"\1\2"), bytearray(b"\2\4")),
        (range(3), [0, 2, 4]),
        ({"b": 1, "a": 2}.values(), [2, 4]),
        ({"b": 1}.items(), [("bb", 2)]),
        (Attrs(1, [2]), Attrs(2, [4])),
        (Tagged("q", 2), Tagged("q", 4)),
    ],
    ids=name_of,
)
def test_map_structure_keeps_the_structure(structure, doubled):
    made = nest.map_structure(lambda leaf: leaf * 2, structure)
    assert made == doubled
    assert type(made) is type(doubled)


def test_map_structure_keeps_the_order_of_keys_and_calls_in_sorted_order():
    seen = []
    made = nest.map_structure(seen.append, {"b": 1, "a": [2, 3]})
    assert list(made) == ["b", "a"]
    assert seen == [2, 3, 1]


def test_map_structure_forgets_the_length_limit_of_a_deque():
    assert nest.map_structure(abs, deque([1], maxlen=2)).maxlen is None


@pytest.mark.parametrize(
    ("structures", "options", "made"),
    [
        ((1, 2, 3), {}, (1, 2, 3)),
        (([1], [2], [3]), {}, [(1, 2, 3)]),
        (({"b": 1, "a": 2}, {"a": 3, "b": 4}), {}, {"b": (1, 4), "a": (2, 3)}),
        (({"a": 1}, FrozenMapping({"a": 2})), {}, {"a": (1, 2)}),
        ((OrderedDict(a=1), {"a": 2}), {}, OrderedDict(a=(1, 2))),
        ((Pair(1, 2), SamePair(3, 4)), {}, Pair((1, 3), (2, 4))),
        ((Pair(1, 2), (3, 4)), {"check_types": False}, Pair((1, 3), (2, 4))),
        (([1, 2], {"a": 1, "b": 2}), {"check_types": False}, [(1, 1), (2, 2)]),
        (({"a": [1]}, {"a": (2,)}), {"check_types": False}, {"a": [(1, 2)]}),
        ((Tagged("q", 2), Tagged("r", 3)), {}, Tagged("q", (2, 3))),
        ((SubList([1]), [2]), {}, SubList([(1, 2)])),
        (([None, 1], [2, None]), {}, [(None, 2), (1, None)]),
    ],
    ids=name_of,
)
def test_map_structure_of_several(structures, options, made):
    assert nest.map_structure(lambda *leaves: leaves, *structures, **options) == made


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nest.map_structure(5, [1]), TypeError, "func must be callable, got: 5"),
        (lambda: nest.map_structure(abs), ValueError, "Must provide at least one structure"),
        (
            lambda: nest.map_structure(abs, [1], bad=1, worse=2),
            ValueError,
            "Only valid keyword arguments are `check_types` and `expand_composites`, not: `bad`, `worse`",
        ),
        (lambda: nest.map_structure(max, [1], (1,)), TypeError, "don't have the same nested structure"),
        (lambda: nest.map_structure(max, [1], [2], [1, 2]), ValueError, "don't have the same nested structure"),
        (lambda: nest.map_structure(max, [1, 2], [1], check_types=False), ValueError, "the same number of elements"),
        (lambda: nest.map_structure(abs, DictThatNeedsArguments(1)), TypeError, "missing 1 required positional"),
        (lambda: nest.map_structure(abs, MappingProxyType({"a": 1})), TypeError, "mappingproxy"),
    ],
)
def test_map_structure_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    ("structure", "flat", "made"),
    [
        ([0, [0, 0]], [1, 2, 3], [1, [2, 3]]),
        ([0, [0, 0]], (1, 2, 3), [1, [2, 3]]),
        ([0, 0], range(2), [0, 1]),
        ([0, 0], deque([1, 2]), [1, 2]),
        ([0, 0], Pair(1, 2), [1, 2]),
        ([0, 0], [[5, 6], [7]], [[5, 6], [7]]),
        ({"b": 0, "a": [0, 0]}, [1, 2, 3], {"b": 3, "a": [1, 2]}),
        (Pair(1, Pair(1, 2)), [1, 2, 3], Pair(1, Pair(2, 3))),
        ("a", [1], 1),
        (None, [3], 3),
        (1, (7,), 7),
        ([], [], []),
        ((0, {}), [1], (1, {})),
        (Tagged("k", [1, 2]), [5, 6], Tagged("k", [5, 6])),
        (ROWS, [1], 1),
    ],
    ids=name_of,
)
def test_pack_sequence_as(structure, flat, made):
    assert nest.pack_sequence_as(structure, flat) == made


@pytest.mark.parametrize(
    ("structure", "flat", "error"),
    [
        ([0, [0, 0]], [1, 2], ValueError),
        ([0, [0, 0]], [1, 2, 3, 4], ValueError),
        ([], [1], ValueError),
        (1, [1, 2], ValueError),
        (1, [], ValueError),
        (Tagged("k", 1), [5, 6], ValueError),
        ([1], 5, TypeError),
        (1, 5, TypeError),
        ([1, 2], "ab", TypeError),
        ([1, 2], ARRAY, TypeError),
        ([1, 2], iter([1, 2]), TypeError),
        ([1, 2], {1, 2}, TypeError),
        ([1, 2], None, TypeError),
        ({2: 1, "a": 2}, [1, 2], TypeError),
    ],
    ids=name_of,
)
def test_pack_sequence_as_refuses(structure, flat, error):
    with pytest.raises(error):
        nest.pack_sequence_as(structure, flat)


def test_pack_sequence_as_counts():
    message = r"Structure had 3 atoms, but flat_sequence had 2 items\. Structure: \[\., \[\., \.\]\]"
    with pytest.raises(ValueError, match=message):
        nest.pack_sequence_as([0, [0, 0]], [1, 2])


def test_pack_sequence_as_refuses_a_dictionary():
    """TensorFlow looks up the keys 0, 1, ... in it, and raises KeyError for the others."""
    with pytest.raises(TypeError, match="must be a sequence"):
        nest.pack_sequence_as([1, 2], {"a": 1, "b": 2})


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ([1], [2]),
        (1, "a"),
        ([None], [1]),
        ({1, 2}, {3}),
        (ARRAY, 1),
        ({"a": 1, "b": 2}, {"b": 1, "a": 3}),
        ({"a": 1}, SubDict(a=1)),
        ({"a": 1}, OrderedDict(a=2)),
        ({"a": 1}, MappingProxyType({"a": 1})),
        (FrozenMapping({"a": 1}), {"a": 1}),
        ([1], SubList([1])),
        (SubTuple([1]), SubTuple([1])),
        (Pair(1, 2), SamePair(1, 2)),
        (Tagged("a", 1), Tagged("b", 2)),
        (Plain(1), Plain(2)),
        (Attrs(1, 2), Attrs(3, 4)),
        ([ROWS], [1]),
        ([ROWS], [Bare(1)]),
    ],
    ids=name_of,
)
def test_same_structure(one, two):
    nest.assert_same_structure(one, two)


@pytest.mark.parametrize(
    ("one", "two", "error", "reason"),
    [
        ([1], [2, 3], ValueError, "the same number of elements"),
        ([1, {"a": (1, 2)}], [1, {"a": (1, 2, 3)}], ValueError, "the same number of elements"),
        (1, [1], ValueError, "is a sequence, while .* is not"),
        ([], 1, ValueError, "is a sequence, while .* is not"),
        (ARRAY, [1], ValueError, "is a sequence, while .* is not"),
        ("abc", ["d"], ValueError, "is a sequence, while .* is not"),
        ([None], [[1]], ValueError, "is a sequence, while .* is not"),
        ([[1], 2], [1, [2]], ValueError, "is a sequence, while .* is not"),
        ({"a": 1}, {"b": 1}, ValueError, "the same set of keys"),
        ({"a": 1, "b": 1}, {"a": 2}, ValueError, "the same set of keys"),
        ([1], (2,), TypeError, "the same sequence type"),
        ([], (), TypeError, "the same sequence type"),
        ([1, {"a": (1, 2)}], [1, {"a": [1, 2]}], TypeError, "the same sequence type"),
        ({"a": 1}, [1], TypeError, "the same sequence type"),
        ({"a": 1}, {"a": 1}.keys(), TypeError, "the same sequence type"),
        ((1,), SubTuple((1,)), TypeError, "the same sequence type"),
        ([1], deque([1]), TypeError, "the same sequence type"),
        ([1], UserList([1]), TypeError, "the same sequence type"),
        (range(1), [1], TypeError, "the same sequence type"),
        (Pair(1, 2), OtherPair(1, 2), TypeError, "the same sequence type"),
        (Pair(1, 2), SubPair(1, 2), TypeError, "the same sequence type"),
        (Pair(1, 2), (1, 2), TypeError, "the same sequence type"),
        (Pair(1, 2), SubTuple((1, 2)), TypeError, "the same sequence type"),
        ((1, 2), Pair(1, 2), TypeError, "the same sequence type"),
        (Tagged("a", 1), TaggedToo("a", 1), TypeError, "the same sequence type"),
        (Attrs(1, 2), (1, 2), TypeError, "the same sequence type"),
    ],
    ids=name_of,
)
def test_different_structures(one, two, error, reason):
    with pytest.raises(error, match=f"(?s)The two structures don't have the same nested structure.*{reason}"):
        nest.assert_same_structure(one, two)


def test_difference_is_shown_without_values():
    message = r"First structure: \[\., \{'a': tuple\(\., \.\)\}\]\. Second structure: \[\., \{'a': \[\., \.\]\}\]\."
    with pytest.raises(TypeError, match=message):
        nest.assert_same_structure([1, {"a": (1, 2)}], [1, {"a": [1, 2]}])


def test_keys_that_cannot_be_sorted_have_no_structure():
    with pytest.raises(TypeError):
        nest.assert_same_structure({2: 1, "a": 2}, {2: 1, "a": 2})


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ([1], (2,)),
        ([], {}),
        ([1, [2, 3]], [1, (2, 3)]),
        ({"a": 1}, {"b": 1}),
        ({"a": 1}, [1]),
        ({"a": 1, "b": [2]}, {"c": 1, "d": [3]}),
        (Pair(1, 2), (1, 2)),
        (Pair(1, 2), {"b": 1, "a": 2}),
        (Tagged("a", 1), [1]),
    ],
    ids=name_of,
)
def test_same_structure_without_types(one, two):
    nest.assert_same_structure(one, two, check_types=False)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ([1, 2], [2]),
        ({"a": 1, "b": 2}, [1]),
        ([[1, 2], 3], [1, [2, 3]]),
        ({"a": 1, "b": [2]}, {"b": 1, "a": [3]}),
    ],
    ids=name_of,
)
def test_different_structures_without_types(one, two):
    with pytest.raises(ValueError, match="don't have the same nested structure"):
        nest.assert_same_structure(one, two, check_types=False)


def test_composites_are_taken_apart_on_demand():
    assert nest.flatten({"a": ROWS, "b": 3}, True) == [1, 2, 3]
    assert nest.flatten(Rows(Bare(1), 2), expand_composites=True) == [1, 2]
    assert nest.map_structure(lambda leaf: leaf + 1, [ROWS], expand_composites=True) == [Rows(2, 3)]
    assert nest.map_structure(max, [ROWS], [Rows(0, 5)], expand_composites=True) == [Rows(1, 5)]
    assert nest.pack_sequence_as(Rows(1, 2, int32), [5, 6], expand_composites=True) == Rows(5, 6, int32)
    with pytest.raises(ValueError, match="Structure had 2 atoms"):
        nest.pack_sequence_as([ROWS], [1], expand_composites=True)


@pytest.mark.parametrize(("one", "two"), [([ROWS], [Rows(5, 6)]), ([Bare(1)], [Bare(2)])], ids=["spec", "class"])
def test_composites_alike(one, two):
    nest.assert_same_structure(one, two, expand_composites=True)


@pytest.mark.parametrize("check_types", [True, False])
@pytest.mark.parametrize("other", [Rows(1, 2, int32), Bare(1)], ids=["spec", "class"])
def test_composites_of_other_types(other, check_types):
    with pytest.raises(ValueError, match="Incompatible CompositeTensor TypeSpecs"):
        nest.assert_same_structure([ROWS], [other], check_types, expand_composites=True)


@pytest.mark.parametrize(("other", "error"), [(1, ValueError), ([1, 2], TypeError)], ids=["leaf", "list"])
def test_composites_are_neither_leaves_nor_lists(other, error):
    with pytest.raises(error):
        nest.assert_same_structure([ROWS], [other], expand_composites=True)
    with pytest.raises(error):
        nest.assert_same_structure([other], [ROWS], expand_composites=True)
