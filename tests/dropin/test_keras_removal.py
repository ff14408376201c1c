"""The names that Keras 3 has removed: they are gone from the Keras that tfcompat uses."""

from __future__ import annotations

import operator

import pytest

import tfcompat as tf
from tfcompat._dropin.keras_removal import ATTRIBUTES, ATTRIBUTES_OF, SYMBOLS

# Still there: a namespace whose classes raise ImportError, attributes that warn, and the method of layers.
KEPT = {"keras.optimizers.legacy", "compiled_loss", "compiled_metrics", "reset_states"}


@pytest.mark.parametrize("symbol", [symbol for symbol in SYMBOLS if symbol not in KEPT])
def test_symbol_is_gone(symbol):
    with pytest.raises(AttributeError):
        operator.attrgetter(symbol.removeprefix("keras."))(tf.keras)


@pytest.mark.parametrize("name", [name for name in ATTRIBUTES if name not in KEPT])
def test_attribute_is_gone(name):
    keras = tf.keras
    classes = (keras.Model, keras.Sequential, keras.layers.LSTM, keras.metrics.Mean, keras.optimizers.Adam)
    assert not [each for each in classes if hasattr(each, name)]


@pytest.mark.parametrize("name", [name for _, name in ATTRIBUTES_OF])
def test_attribute_of_optimizers_is_gone(name):
    assert not hasattr(tf.keras.optimizers.Adam(), name)
