"""`tf.io.decode_json_example`."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.data.format.wire import entry, feature, field


def of(*listed):
    return field(1, b"".join(entry(key, feature(kind, values, is_packed=False)) for key, kind, values in listed))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", b""),
        ('{"features":{"feature":{"a":{"int64List":{"value":["1",2]}}}}}', of((b"a", "int64", [1, 2]))),
        ('{"features":{"feature":{"a":{"int64_list":{"value":[-1]}}}}}', of((b"a", "int64", [-1]))),
        (
            '{"features":{"feature":{"b":{"bytesList":{"value":["aGk="]}},"a":{"floatList":{"value":[1.5,"Infinity"]}}}}}',
            of((b"b", "bytes", [b"hi"]), (b"a", "float", [1.5, float("inf")])),
        ),
    ],
    ids=["empty", "int64", "snake", "order"],
)
def test_json_becomes_an_example(text, expected):
    assert tf.io.decode_json_example(text).numpy() == expected
    assert tf.io.decode_json_example([[text], [text]]).numpy().tolist() == [[expected], [expected]]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"x":1}',
        '{"features":{"feature":{"a":{"int64List":{"value":["x"]}}}}}',
        '{"features":{"feature":{"a":{"int64List":{"value":[1.5]}}}}}',
        '{"features":{"feature":{"a":{"int64List":{"value":["99999999999999999999"]}}}}}',
        '{"features":{"feature":{"a":{"int64List":{"value":[]},"floatList":{"value":[1]}}}}}',
    ],
    ids=range(7),
)
def test_what_is_no_example_is_refused(text):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.decode_json_example(text)
