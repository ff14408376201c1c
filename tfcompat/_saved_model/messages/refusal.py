"""Refusals of parts of a function that a SavedModel cannot have."""

from __future__ import annotations


class Unsaved(NotImplementedError):
    """An op that the host computes, and for which a SavedModel has no node here."""

    def __init__(self, op: str) -> None:
        super().__init__(
            f"the host computes {op}, for which tf.saved_model.save writes no kernel; compute it outside of the "
            "function, and pass or return its tensors."
        )
