"""Random numbers of distributions, from seeds, and places in random orders."""

from __future__ import annotations

from tests.cases.dtype import Symbol
from tests.cases.recipe import arrays, case, each, refused, tensor

SEED = [7, 42]
POSITIVE = arrays((2,), "float32", "positive")
RATES = tensor([3.5, 20.0], "float32")

CASES = [
    case(
        "random.stateless_gamma", [3, 2], SEED, arrays((2,), "float32", "positive"), arrays((), "float32", "positive")
    ),
    case("random.stateless_poisson", [4, 2], SEED, RATES, each(Symbol("int32"), Symbol("float64"))),
    case("random.stateless_binomial", [4, 2], SEED, RATES, 0.3, each(Symbol("int32"), Symbol("float16"))),
    case("random.stateless_parameterized_truncated_normal", [6], SEED, each(0.5, 4.0), 1.0, each(-1.0, 3.0), 5.0),
    case("random.experimental.index_shuffle", each(tensor([0, 3, 6], "int32"), 2), SEED, 6),
    case("random_index_shuffle", tensor([0, 3, 6], "int64"), [1, 2, 3], tensor(6, "int64"), each(4, 6)),
    refused("random.stateless_gamma", each([3], 2), SEED, tensor([1.0, 2.0], "float32")),
    refused("random.stateless_poisson", [2], each([1, 2, 3], [1.0, 2.0]), 1.0),
    refused("random.stateless_binomial", [3], SEED, RATES, 0.3),
    refused("random.stateless_parameterized_truncated_normal", [2], SEED, 0.0, each(-1.0, 0.0)),
    refused("random.experimental.index_shuffle", each(12, -1), SEED, 6),
    refused("random.stateless_uniform", [2], SEED, alg=each("threefry", "foo")),
]
