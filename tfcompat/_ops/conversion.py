"""`tf.convert_to_tensor`: handlers convert the values that it refuses, such as the symbolic tensors of Keras 2."""

from __future__ import annotations

from tfcompat._core.calls import convert
from tfcompat._core.calls.dispatch import dispatched

convert_to_tensor = dispatched(convert.convert_to_tensor)
