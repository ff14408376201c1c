"""Places of iterators that no iterator has saved, in checkpoints whose checksums are right.

They raise TensorFlow's classes of errors, when they are restored or when the next element is read. A restore that fails
leaves the iterator and its dataset as they were.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

import tfcompat as tf
from tests import repetition
from tests.daily import thorough, without
from tests.data.format.hostile import mutant
from tests.saved import places
from tests.saved.written_places import PIPELINES, begun
from tfcompat._data.format.kernel_message import KernelMessage, kernel_message
from tfcompat._data.places.place import _ARRAY, _FALSE, _INTEGER, _REAL, _SCALAR, _TENSOR, _TRUE, _messages

D = tf.data.Dataset
OWN = b"tfcompat"
# `make test` takes 2 copies of each place, `make soak` 20.
COUNT = repetition.count(20)
NUMBERS = (-1, 0, 1, 7, 1 << 20, 1 << 40, (1 << 63) - 1, -(1 << 63))
REFUSALS = (tf.errors.DataLossError, tf.errors.InvalidArgumentError, NotImplementedError)


def forms(iterator):
    """The messages of TensorFlow for the place of `iterator`, and the place in the form of this library."""
    texts = iterator._serialize_to_tensors()["_STATE"].numpy().tolist()
    own = KernelMessage(texts[-1], "test")
    return texts[:-1], _messages()["Place"].FromString(own.parts()[OWN].content)


def restore(iterator, texts, place=None):
    """Restores messages, and the parts `place`."""
    own = [] if place is None else [kernel_message(OWN.decode(), {OWN.decode(): place.SerializeToString()})]
    iterator._restore_from_tensors({"_STATE": tf.constant(np.array([*texts, *own], object))})


def with_another_number(text, draw):
    """The message of a kernel, one of whose numbers has changed."""
    message = KernelMessage(text, "test")
    values = {}
    for key, part in message.parts().items():
        if part.integer is None and part.dtype is not tf.string:
            return text
        values[key.decode()] = part.content if part.integer is None else part.integer
    keys = [key for key, value in values.items() if isinstance(value, int)]
    if keys:
        values[draw.choice(keys)] = draw.choice(NUMBERS)
    return kernel_message(message.name.decode(), values)


def change(place, draw):
    """Changes a part of a place in the form of this library."""
    part, other = draw.choice(place.parts), draw.choice(place.parts)
    way = draw.randrange(5)
    if part.kind == _INTEGER and way < 3:
        part.name = str(draw.choice(NUMBERS))
    elif part.data and way == 3:
        part.data = mutant(part.data, draw)
    elif way == 4:
        part.kind = draw.randrange(20)
    else:
        part.kind, part.data, part.name = other.kind, other.data, other.name


def outcome(name, texts, place):
    """The class of the error of the restore of a place, or of the elements behind it; "restored" without one."""
    iterator = begun(name, 1)
    try:
        restore(iterator, texts, place)
    except REFUSALS as error:
        if name != "unseeded":
            assert places.elements(iterator) == places.elements(begun(name, 1))
        return type(error).__name__
    try:
        places.elements(iterator)
        iterator._serialize_to_tensors()
    except tf.errors.OpError as error:
        return f"restored, {type(error).__name__}"
    return "restored"


@pytest.mark.soak
@pytest.mark.parametrize("way", ["kernels", thorough("own")])
def test_place_that_was_made_up(way):
    draw, found = random.Random(way), set()
    for name in PIPELINES:
        for _ in range(COUNT):
            texts, place = forms(begun(name, 4))
            if way == "own":
                change(place, draw)
                found.add(outcome(name, [], place))
            else:
                number = draw.randrange(len(texts) or 1)
                changed = [with_another_number(text, draw) for text in texts[number : number + 1]]
                texts[number : number + 1] = changed
                found.add(outcome(name, texts, None))
    assert {"restored", "DataLossError"} <= found


def with_other_kinds(part):
    """Changes `part` to each value of another kind that it may be taken for."""
    if part.kind == _INTEGER:
        yield from ((part.name, kind) for kind in (_REAL, _TRUE))
        yield "-1", _INTEGER
    elif part.kind in (_FALSE, _TRUE):
        yield "0", _INTEGER
        yield "", _TRUE if part.kind == _FALSE else _FALSE
    elif part.kind == _ARRAY:
        yield from (("", kind) for kind in (_TENSOR, _SCALAR))


HELD = ["cached", "list", "parallel batches", "shuffled batches", "shuffled twice"]


@pytest.mark.parametrize("name", without(["cached", "shuffled batches"], HELD))
def test_parts_of_other_kinds(name):
    _, place = forms(begun(name, 4))
    changes = [(number, *change) for number, part in enumerate(place.parts) for change in with_other_kinds(part)]
    found = set()
    for number, text, kind in changes:
        _, place = forms(begun(name, 4))
        place.parts[number].name, place.parts[number].kind = text, kind
        found.add(outcome(name, [], place))
    assert "DataLossError" in found


@pytest.mark.parametrize("key", [OWN, b"other"])
def test_place_without_content(key):
    iterator = begun("training", 1)
    text = kernel_message(OWN.decode(), {key.decode(): 3})
    with pytest.raises(tf.errors.DataLossError):
        iterator._restore_from_tensors({"_STATE": tf.constant(np.array([text], object))})


def test_matrix_of_strings_is_not_a_place():
    iterator = begun("training", 1)
    with pytest.raises(tf.errors.DataLossError, match="neither a string nor a vector"):
        iterator._restore_from_tensors({"_STATE": tf.constant([["a"], ["b"]])})


def value_of(place, key):
    """The part of `place` that stands behind the last `key`."""
    return place.parts[max(number for number, part in enumerate(place.parts) if part.data == key) + 1]


@pytest.mark.parametrize("number", ["-1", "6", str(1 << 40), "text"])
def test_number_of_elements_that_the_dataset_does_not_have(number):
    iterator = iter(D.range(5))
    _, place = forms(iterator)
    value_of(place, b"number").name = number
    with pytest.raises(tf.errors.DataLossError):
        restore(iterator, [], place)
    assert [int(x) for x in iterator] == list(range(5))


def test_failed_restore_leaves_the_cache_empty():
    dataset, other = D.range(3).cache(), D.range(3).cache()
    iterator = iter(dataset.repeat(2))
    for _ in range(4):
        next(iterator)
    _, place = forms(iterator)
    value_of(place, b"number").name = "-1"
    restored = iter(other.repeat(2))
    with pytest.raises(tf.errors.DataLossError):
        restore(restored, [], place)
    assert dataset._node.kept is not None
    assert other._node.kept is None
    assert [int(x) for x in restored] == [0, 1, 2] * 2


def test_iterator_that_has_read_endless_elements_is_refused():
    texts, _ = forms(begun("numbers for ever", 4))
    far = []
    for text in texts:
        message = KernelMessage(text, "test")
        values = {key.decode(): part.integer for key, part in message.parts().items()}
        name = message.name.replace(b"[3]", b"[%d]" % (1 << 45)).decode()
        if "i" in values:
            values["i"] = 1 << 45
        far.append(kernel_message(name, {key.replace("[3]", f"[{1 << 45}]"): value for key, value in values.items()}))
    with pytest.raises(NotImplementedError, match="would be read again"):
        restore(begun("numbers for ever", 1), far)
