"""Padded programs: the sizes of classes, the room that they have, and their results."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from jax import export

import tfcompat as tf
from tfcompat._core.programs.family.size_class import SizeClass, rounded_up
from tfcompat._jaxpr.padded.refusal import NoRule

X = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)


@pytest.fixture
def with_64_bits():
    with jax.enable_x64(True):
        yield


def size_class(function, largest, *shapes, donated=()):
    """The class of `function` for float32 arrays of `shapes`, strings with symbols among `largest`."""
    scope = export.SymbolicScope()
    structs = [jax.ShapeDtypeStruct(export.symbolic_shape(shape, scope=scope), np.float32) for shape in shapes]
    return SizeClass(jax.make_jaxpr(function)(*structs), tuple(largest), largest, donated)


def test_classes_grow_by_half_in_multiples_of_4():
    classes = sorted({rounded_up(size) for size in range(2, 400)})
    assert classes == [8, 12, 20, 32, 48, 72, 108, 164, 248, 372, 560]


@pytest.mark.parametrize("size", [1, 8, 9, 12, 13, 164, 165, 10_000])
def test_class_has_room_and_wastes_at_most_half(size):
    found = rounded_up(size)
    assert found >= size
    assert found % 4 == 0
    assert found <= max(8, 1.5 * size + 4)
    assert rounded_up(found) == found


def test_class_covers_sizes_up_to_its_largest():
    found = size_class(lambda x: x, {"n": 12, "m": 8}, "n, m")
    assert found.covers({"n": 12, "m": 8})
    assert found.covers({"n": 2, "m": 3})
    assert not found.covers({"n": 13, "m": 8})
    assert not found.covers({"n": 12, "m": 9})


@pytest.mark.usefixtures("with_64_bits")
def test_one_program_serves_all_sizes():
    found = size_class(lambda x: (jax.nn.softmax(x, 0), x.mean(0), x.max()), {"n": 32}, "n, 3")
    with tf.counted() as counts:
        for n in (2, 31, 7, 32):
            scaled, mean, largest = found({"n": n}, [X[:n]])
            exps = np.exp(X[:n])
            assert scaled.shape == (n, 3)
            np.testing.assert_allclose(scaled, exps / exps.sum(0), rtol=1e-5)
            np.testing.assert_allclose(mean, X[:n].mean(0), rtol=1e-5, atol=1e-6)
            assert float(largest) == X[:n].max()
    assert counts.compiles == 1
    assert counts.compile_seconds > 0.0


@pytest.mark.usefixtures("with_64_bits")
def test_result_is_cut_to_memory_of_its_own():
    found = size_class(lambda x: x * 2.0, {"n": 32}, "n, 3")
    (result,) = found({"n": 5}, [X[:5]])
    assert result.nbytes == 5 * 3 * 4
    np.testing.assert_array_equal(result, 2.0 * X[:5])


@pytest.mark.usefixtures("with_64_bits")
def test_array_without_symbols_is_taken_over():
    found = size_class(lambda x, total: total + x.sum(), {"n": 8}, "n, 3", "50000", donated=(1,))
    total = jax.device_put(np.zeros(50_000, np.float32))
    (result,) = found({"n": 4}, [X[:4], total])
    assert total.is_deleted()
    np.testing.assert_allclose(result, X[:4].sum(), rtol=1e-5)


@pytest.mark.usefixtures("with_64_bits")
def test_refused_program_takes_nothing_over():
    def solved(x, total):  # has no rule
        return total + jax.lax.linalg.tridiagonal_solve(x, x, x, x[:, None])[0, 0]

    found = size_class(solved, {"n": 8}, "n", "50000", donated=(1,))
    total = jax.device_put(np.zeros(50_000, np.float32))
    with pytest.raises(NoRule):
        found({"n": 4}, [X[:4, 0], total])
    assert not total.is_deleted()
