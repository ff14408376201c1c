"""Random numbers of many shapes: the host draws them by functions of NumPy, for which a family saves nothing."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tfcompat._core.programs.family import variants


@pytest.mark.parametrize(
    "draw", [tf.random.stateless_normal, tf.random.stateless_uniform, tf.random.stateless_truncated_normal]
)
def test_seeded_draws_of_many_shapes_make_no_family(draw, monkeypatch):
    made = []
    monkeypatch.setattr(variants, "generalised", lambda *paths: made.append(paths))
    variants.clear()
    for n in range(20):
        assert draw([n + 2, 3 * n + 5], [n, 7]).numpy().shape == (n + 2, 3 * n + 5)
    assert not made
