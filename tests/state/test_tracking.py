"""Tracking: objects depend on the variables, modules and containers in their attributes, by name."""

from __future__ import annotations

import collections
import copy
import json
import pickle

import numpy as np
import pytest

import tfcompat as tf

tracking = tf.__internal__.tracking


class Thing(tracking.AutoTrackable):
    pass


def children(trackable):
    return list(trackable._trackable_children())


def test_attributes_are_dependencies_by_name():
    thing = Thing()
    thing.weight, thing.number, thing.inner = tf.Variable(1.0), 3, Thing()
    assert thing._trackable_children() == {"weight": thing.weight, "inner": thing.inner}
    thing.weight = tf.Variable(2.0)
    assert children(thing) == ["weight", "inner"]
    assert thing._lookup_dependency("weight") is thing.weight
    assert thing._lookup_dependency("number") is None
    del thing.weight
    assert children(thing) == ["inner"]


def test_modules_and_variables_are_trackable():
    module = tf.Module()
    module.weight = tf.Variable(1.0)
    assert isinstance(module, tracking.AutoTrackable)
    assert isinstance(module.weight, tracking.Trackable)
    assert children(module) == ["weight"]
    assert list(module.weight._serialize_to_tensors()) == ["VARIABLE_VALUE"]


def test_a_list_shares_its_elements_with_the_one_that_was_assigned():
    module, given = tf.Module(), [tf.Variable(1.0)]
    module.parts = given
    given.append(tf.Variable(2.0))
    module.parts.append(tf.Variable(3.0))
    assert len(given) == len(module.parts) == len(module.variables) == 3
    assert isinstance(module.parts, list)
    assert type(module.parts).__name__ == "ListWrapper"


def test_a_list_behaves_as_a_list():
    thing = Thing()
    thing.numbers = [3, 1, 2]
    numbers = thing.numbers
    assert repr(numbers) == "ListWrapper([3, 1, 2])"
    assert numbers == [3, 1, 2]
    assert [0, *numbers] == [0, 3, 1, 2]
    assert numbers.__add__([4]) == [3, 1, 2, 4]
    assert numbers.__radd__([0]) == [0, 3, 1, 2]
    assert numbers * 2 == [3, 1, 2, 3, 1, 2]
    assert (numbers[1:], numbers.index(1), 2 in numbers, sorted(numbers)) == ([1, 2], 1, True, [1, 2, 3])
    assert json.dumps(numbers) == "[3, 1, 2]"
    assert np.array(numbers).tolist() == [3, 1, 2]
    assert tf.constant(numbers).numpy().tolist() == [3, 1, 2]
    assert tf.nest.map_structure(lambda x: x + 1, numbers) == [4, 2, 3]
    numbers.sort()
    numbers += [5]
    numbers.insert(0, 0)
    numbers[1:2] = [7, 8]
    assert (numbers.pop(), numbers) == (5, [0, 7, 8, 2, 3])
    assert copy.deepcopy(numbers) == pickle.loads(pickle.dumps(numbers)) == numbers.copy() == numbers
    with pytest.raises(TypeError, match="unhashable"):
        hash(numbers)


def test_elements_of_lists_are_dependencies_by_place():
    thing = Thing()
    thing.parts = [Thing(), 1, [Thing()]]
    assert children(thing) == ["parts"]
    assert children(thing.parts) == ["0", "2"]
    assert children(thing.parts[2]) == ["0"]


def replaced(parts):
    parts[0] = Thing()


def deleted(parts):
    del parts[0]


def changed_outside(parts):
    parts._storage.append(Thing())


@pytest.mark.parametrize("change", [replaced, deleted, changed_outside])
def test_a_list_that_was_not_only_appended_to_cannot_be_saved(change):
    thing = Thing()
    thing.parts = [Thing()]
    change(thing.parts)
    with pytest.raises(ValueError, match="Unable to save the object"):
        thing.parts._trackable_children()


def test_a_dictionary_behaves_as_a_dictionary():
    thing, given = Thing(), {"b": 1, "a": [2]}
    thing.table = given
    given["c"] = 3
    table = thing.table
    assert isinstance(table, dict)
    assert type(table).__name__ == "_DictWrapper"
    assert table == {"b": 1, "a": [2], "c": 3}
    assert ({**table}, sorted(table), table.get("x")) == ({"b": 1, "a": [2], "c": 3}, ["a", "b", "c"], None)
    assert tf.nest.flatten(table) == [2, 1, 3]
    assert tf.nest.map_structure(str, table) == {"a": ["2"], "b": "1", "c": "3"}
    assert str(table) == "{'b': 1, 'a': ListWrapper([2]), 'c': 3}"
    table.update(d=4)
    assert (given["d"], copy.deepcopy(table)) == (4, table)
    pickled = pickle.loads(pickle.dumps(table))
    assert (type(pickled), pickled) == (dict, table)


def test_values_of_dictionaries_are_dependencies_by_key():
    thing = Thing()
    thing.table = {"x": Thing(), "y": 1}
    thing.table["z"] = tf.Variable(1.0)
    assert children(thing.table) == ["x", "z"]
    thing.table[3] = 1
    assert children(thing.table) == ["x", "z"]
    thing.table[4] = Thing()
    with pytest.raises(ValueError, match="non-string key"):
        thing.table._trackable_children()


def test_tuples_with_trackable_elements_are_wrapped():
    Pair = collections.namedtuple("Pair", "left right")
    thing = Thing()
    thing.plain, thing.pair, thing.mixed = (1, 2), Pair(Thing(), 1), ([Thing()], 2)
    assert type(thing.plain) is tuple
    assert isinstance(thing.pair, tuple)
    assert (thing.pair.right, thing.mixed[1], len(thing.mixed)) == (1, 2, 2)
    assert children(thing.pair) == ["left", "0"]
    assert children(thing.mixed) == ["0"]
    assert tf.nest.flatten(thing.pair) == [thing.pair.left, 1]
    thing.lists = ([1], 2)
    pickled = pickle.loads(pickle.dumps(thing.lists))
    assert (type(pickled), pickled) == (tuple, ([1], 2))


def test_other_containers_are_left_as_they_are():
    thing = Thing()
    thing.counter, thing.group = collections.Counter("aab"), {1, 2}
    assert (type(thing.counter), type(thing.group)) == (collections.Counter, set)
    assert children(thing) == []


def test_marked_values_are_no_dependencies():
    thing = Thing()
    thing.hidden = thing._no_dependency(Thing())
    assert isinstance(thing.hidden, Thing)
    assert children(thing) == []


def test_methods_may_turn_tracking_off():
    class Quiet(tracking.AutoTrackable):
        @tracking.no_automatic_dependency_tracking
        def fill(self):
            """Docstring."""
            self.items, self.inner = [Thing()], Thing()
            return 3

    quiet = Quiet()
    assert quiet.fill() == 3
    assert type(quiet.items) is list
    assert children(quiet) == []
    assert (Quiet.fill.__name__, Quiet.fill.__doc__) == ("fill", "Docstring.")
    quiet.later = Thing()
    assert children(quiet) == ["later"]


def test_dependencies_are_trackable_and_have_one_name_each():
    thing, inner = tracking.Trackable(), Thing()
    assert thing._track_trackable(inner, name="inner") is inner
    thing._track_trackable(inner, name="inner")
    with pytest.raises(ValueError, match="already declared"):
        thing._track_trackable(Thing(), name="inner")
    thing._track_trackable(other := Thing(), name="inner", overwrite=True)
    assert thing._trackable_children() == {"inner": other}
    with pytest.raises(TypeError, match="can only be used to track objects of type Trackable"):
        thing._track_trackable(3, name="number")


def test_containers_know_their_variables():
    thing = Thing()
    thing.parts = [tf.Variable(1.0), tf.Variable(2.0, trainable=False), [tf.Variable(3.0)]]
    assert [v.numpy() for v in thing.parts.trainable_variables] == [3.0, 1.0]
    assert [v.numpy() for v in thing.parts.variables] == [3.0, 1.0, 2.0]
    thing.parts.trainable = False
    assert thing.parts.trainable_weights == []
    assert len(thing.parts.non_trainable_weights) == 3


def test_wrap_returns_trackable_containers():
    assert isinstance(tracking.wrap([1]), tracking.TrackableDataStructure)
    assert tracking.wrap((1, 2)) == (1, 2)
    assert tracking.wrap(3) == 3
