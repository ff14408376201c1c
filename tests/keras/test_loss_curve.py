"""Seeded scripts show TensorFlow's loss at every step, with shuffling, random maps, dropout and schedules."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tfcompat as tf
from tests.daily import thorough
from tests.keras import curve

RECORDED = json.loads(curve.RECORDED.read_text())
# Relative to the loss.
CLOSE = 1e-4
# How many times TensorFlow's own spread the losses of two networks that compete may be away.
SPREADS = 10.0

# `__array__` of Keras' variables has no argument `copy`, for which NumPy 2 asks.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")


def distance(losses, name, setting="default"):
    """The largest relative difference of `losses` from those that TensorFlow showed."""
    expected = np.array(RECORDED[name][setting])
    return np.max(np.abs(np.array(losses) - expected) / expected)


@pytest.mark.parametrize(
    "script", [curve.convolutional_loop, *map(thorough, (curve.convolutional_fit, curve.text_fit))]
)
def test_losses_of_a_hundred_steps(script):
    losses = script(tf)
    assert len(losses) == curve.STEPS
    assert distance(losses, script.__name__) < CLOSE


@pytest.mark.thorough
def test_losses_of_competing_networks():
    own = distance(RECORDED["adversarial"]["without oneDNN"], "adversarial")
    assert distance(curve.adversarial(tf), "adversarial") < SPREADS * own
