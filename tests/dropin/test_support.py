"""Supported symbols, and the messages for others."""

from __future__ import annotations

import pytest

from tests import oracle
from tfcompat._dropin.absent import absent
from tfcompat._dropin.difference import differences
from tfcompat._dropin.support import support_of


@pytest.mark.parametrize(
    "symbol", ["", "add", "nn.relu", "float32.name", "errors.InvalidArgumentError", "GradientTape.gradient", "bool"]
)
def test_supported(symbol):
    assert support_of(symbol).status == "supported"


@pytest.mark.parametrize(
    "symbol",
    [
        "python",
        "python.framework.ops",
        "python.framework.ops.Tensor.shape",
        "python.ops.gen_math_ops.mat_mul",
        "python.util.nest._is_namedtuple",
        "core.framework.summary_pb2.Summary",
    ],
)
def test_private_names_that_the_alias_serves_are_supported(symbol):
    assert support_of(symbol).status == "supported"


@pytest.mark.parametrize(
    ("symbol", "status"),
    [
        ("no.such.Name", "missing"),
        ("python.framework.ops.get_gradient_function", "missing"),
        ("python.grappler.item", "missing"),
        ("python.client.session.Session", "refused"),
        ("nn.foo", "missing"),
        ("Variable.foo", "missing"),
        ("_core", "missing"),
        ("compat.v1.Session", "refused"),
        ("nn.max_pool", "differs"),
        ("keras.optimizers.legacy.Adam", "removed"),
    ],
)
def test_not_supported(symbol, status):
    assert support_of(symbol).status == status


def test_differences_belong_to_all_names_of_a_function():
    one, other = support_of("math.top_k"), support_of("nn.top_k")
    assert one.advice == other.advice
    assert "sorted" in one.advice
    assert "differences.md#numbers" in one.link.split()


def test_symbols_of_the_page_of_differences_exist():
    for symbol in differences():
        known = [name for name in oracle.signatures() if name.startswith(symbol.removesuffix("..."))]
        assert known or symbol == "is_tensor", symbol


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
    assert support_of(symbol).namespace == namespace


def test_message_names_a_page_of_the_guide():
    assert absent("foo") == "tfcompat has no tf.foo yet; `python -m tfcompat guide supported` lists the supported names"
