"""Reports on two records that differ."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests import oracle
from tests.golden.difference import compare

BFLOAT16 = np.array([1.5], ml_dtypes.bfloat16)


def record(**entries):
    """A record whose entries are values with one leaf."""
    return {key: {"value": {"leaves": [oracle.encoded_array(array)]}} for key, array in entries.items()}


def below(old, new):
    """The lines on the only entry of two records, without its key."""
    (count, key, *found), beyond = compare("made_up", record(op=old), record(op=new))
    assert (count, key) == (f"made_up: 1 of 1 entries differ, {beyond} beyond the tolerance of the tests", "  op")
    return [line.strip() for line in found]


def test_equal_records_have_no_report():
    same = record(op=np.array([1.0, np.nan]))
    assert compare("made_up", same, same) == ([], 0)


def test_keys_are_counted_and_named():
    one, two = np.zeros(2), np.array([0.0, 0.5])
    assert compare("made_up", record(a=one, b=one, c=one), record(a=one, b=two, d=one)).lines == [
        "made_up: 3 of 4 entries differ, 3 beyond the tolerance of the tests",
        "  b",
        "    value.leaves[0]: float64 [2]: 1 of 2 values differ, beyond tolerance, max abs 0.5, max rel inf",
        "      [1]: 0.0 -> 0.5",
        "  c",
        "    removed",
        "  d",
        "    added",
    ]


def test_greatest_differences_and_first_values_are_shown():
    old = np.array([[1.0, 10.0, 3.0], [4.0, 5.0, 6.0]], np.float32)
    new = np.array([[1.5, 12.0, 3.0], [5.0, 6.0, 6.0]], np.float32)
    assert below(old, new) == [
        "value.leaves[0]: float32 [2, 3]: 4 of 6 values differ, beyond tolerance, max abs 2, max rel 0.5",
        "[0, 0]: 1.0 -> 1.5",
        "[0, 1]: 10.0 -> 12.0",
        "[1, 0]: 4.0 -> 5.0",
        "...",
    ]


@pytest.mark.parametrize(
    ("old", "new", "distance", "values"),
    [
        (np.array(2), np.array(3), "beyond tolerance, max abs 1, max rel 0.5", "[]: 2 -> 3"),
        (np.uint8([200]), np.uint8([100]), "beyond tolerance, max abs 100, max rel 0.5", "[0]: 200 -> 100"),
        (np.array([True]), np.array([False]), "beyond tolerance", "[0]: True -> False"),
        (np.array([b"a"], object), np.array([b"\xff"], object), "beyond tolerance", "[0]: b'a' -> b'\\xff'"),
        (np.array([1.0]), np.array([np.nan]), "beyond tolerance, max abs inf, max rel inf", "[0]: 1.0 -> nan"),
        (np.array([np.inf]), np.array([1.0]), "beyond tolerance, max abs inf, max rel inf", "[0]: inf -> 1.0"),
        (np.array([0.0]), np.array([-0.0]), "within tolerance, max abs 0, max rel 0", "[0]: 0.0 -> -0.0"),
        (np.array([2.0 + 0j]), np.array([2 + 1j]), "beyond tolerance, max abs 1, max rel 0.5", "[0]: (2+0j) -> (2+1j)"),
        (BFLOAT16, BFLOAT16 * BFLOAT16, "beyond tolerance, max abs 0.75, max rel 0.5", "[0]: 1.5 -> 2.25"),
    ],
    ids=["rank 0", "uint8", "bool", "bytes", "nan", "inf", "zero", "complex", "bfloat16"],
)
def test_differences_by_dtype(old, new, distance, values):
    head, first = below(old, new)
    assert head.endswith(f"1 of 1 values differ, {distance}")
    assert first == values


def test_differences_that_the_tests_tolerate_are_counted_apart():
    one = np.array([1.0], np.float32)
    near, between = np.nextafter(one, np.float32(2)), one * np.float32(1 + 2e-5)
    assert compare("made_up", record(op=one), record(op=near)).beyond == 0
    assert compare("made_up", record(op=one), record(op=between)).beyond == 1
    old, new = ({"op": {"gradient": {"entries": [oracle.encoded_array(each)]}}} for each in (one, between))
    assert compare("made_up", old, new).beyond == 0


def test_bits_of_nan_are_told_from_values():
    new = np.array([0x7FF8000000000001], np.uint64).view(np.float64)
    assert below(np.array([np.nan]), new) == ["value.leaves[0]: float64 [1]: only the bits of nan differ"]


def test_other_shape_or_dtype_is_named_without_values():
    assert below(np.zeros(2), np.zeros(3)) == ["value.leaves[0]: float64 [2] -> float64 [3]"]
    assert below(np.zeros(2), np.zeros(2, int)) == ["value.leaves[0]: float64 [2] -> int64 [2]"]


def test_parts_that_are_no_arrays_are_shown():
    old = {"op": {"inputs": 1, "value": {"error": "ValueError"}}, "f": [["x", "K"]], "g": None}
    new = {"op": {"inputs": 2, "gradient": {"error": "LookupError"}}, "f": [["x", "K", "1"], ["y", "K"]], "g": []}
    assert compare("made_up", old, new).lines == [
        "made_up: 3 of 3 entries differ, 3 beyond the tolerance of the tests",
        "  op",
        "    inputs: 1 -> 2",
        '    value.error: removed: "ValueError"',
        '    gradient.error: added: "LookupError"',
        "  f",
        '    [0]: ["x", "K"] -> ["x", "K", "1"]',
        '    [1]: added: ["y", "K"]',
        "  g",
        "    null -> []",
    ]
