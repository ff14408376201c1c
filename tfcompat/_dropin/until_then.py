"""The parts of TensorFlow that tfcompat does not have yet, each with an alternative."""

from __future__ import annotations

_KERAS = (
    "Keras 3 runs on JAX by itself: set KERAS_BACKEND=jax and write `import keras`. For training loops of your own, "
    "make layers of tf.Module and optimizers of tf.Variable."
)
_CHECKPOINT = "Save the weights with numpy.savez, and load them with numpy.load."

# Names without `tf.`; names below one of them have the same advice.
UNTIL_THEN = {
    **dict.fromkeys(("keras", "initializers", "losses", "metrics", "optimizers"), _KERAS),
    "distribute": "Run the program on one device.",
    "io.gfile": "Open files with Python's `open` and pathlib; fsspec knows other file systems.",
    "saved_model": f"`export()` of a concrete function returns a jax.export.Exported. {_CHECKPOINT}",
    "summary": "Print the numbers, or write them with another library, such as tensorboardX.",
    "train": _CHECKPOINT,
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
