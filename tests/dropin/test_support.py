"""Supported symbols, and the messages for others."""

from __future__ import annotations

import pytest

from tests import oracle
from tfcompat._dropin.support import gap_at
from tfcompat._dropin.until_then import UNTIL_THEN, absent, advice


@pytest.mark.parametrize(
    "symbol", ["", "add", "nn.relu", "float32.name", "errors.InvalidArgumentError", "GradientTape.gradient", "bool"]
)
def test_supported(symbol):
    assert gap_at(symbol) is None


@pytest.mark.parametrize("symbol", ["no.such.Name", "nn.foo", "Variable.foo", "_core", "compat.v1.Session"])
def test_not_supported(symbol):
    assert gap_at(symbol) is not None


@pytest.mark.parametrize(
    ("symbol", "namespace"),
    [
        ("no_such_name", ""),
        ("no.such.Name", "no"),
        ("nn.foo", "nn"),
        ("nn.foo.bar", "nn.foo"),
        ("Variable.foo", "Variable"),
        ("compat.v1.Session", "compat.v1"),
        ("lite.TFLiteConverter.from_keras_model", "lite"),
    ],
)
def test_gap_knows_its_namespace(symbol, namespace):
    assert gap_at(symbol).namespace == namespace


@pytest.mark.parametrize("name", UNTIL_THEN)
def test_parts_with_advice_are_missing_parts_of_tensorflow(name):
    known = [each for each in oracle.signatures() if each == name or each.startswith(f"{name}.")]
    assert known
    assert gap_at(name) is not None, "it has appeared: take it off the list"
    assert gap_at(f"{name}.Something.other") == (name, UNTIL_THEN[name], False)
    assert gap_at(name).namespace == name
    assert UNTIL_THEN[name].endswith(".")


def test_advice_goes_for_what_stands_below():
    assert advice("saved_model.experimental.Fingerprint") == UNTIL_THEN["saved_model"]
    assert advice("io.read_file") == ""
    assert advice("saved_modelx") == ""


def test_message_names_a_page_of_the_guide():
    assert absent("saved_model.save").endswith("See `python -m tfcompat guide getting_started`.")
    assert absent("foo") == "tfcompat has no tf.foo yet; `python -m tfcompat guide supported` lists the supported names"
