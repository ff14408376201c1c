"""The message for names of TensorFlow that tfcompat does not have."""

from __future__ import annotations


def absent(symbol: str) -> str:
    """The message for the missing `symbol`, written without `tf.`; it refers to a page of the guide."""
    return f"tfcompat has no tf.{symbol} yet; `python -m tfcompat guide supported` lists the supported names"
