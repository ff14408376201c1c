"""The parts of TensorFlow that tfcompat does not have yet, each with an alternative."""

from __future__ import annotations

# Names without `tf.`; names below one of them have the same advice.
UNTIL_THEN = {
    "summary": "Print the numbers, or write them with another library, such as tensorboardX.",
}


def advice(symbol: str) -> str:
    """The alternative for `symbol`, written without `tf.`; empty if no alternative is known."""
    parts = symbol.split(".")
    above = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((UNTIL_THEN[name] for name in above if name in UNTIL_THEN), "")


def absent(symbol: str) -> str:
    """The message for the missing `symbol`, written without `tf.`; it refers to a page of the guide."""
    until_then = advice(symbol)
    if until_then:
        return f"tfcompat has no tf.{symbol} yet. {until_then} See `python -m tfcompat guide getting_started`."
    return f"tfcompat has no tf.{symbol} yet; `python -m tfcompat guide supported` lists the supported names"
