"""Substitutes for sessions in `tf.test.TestCase`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn


class EagerSessionWarner:
    """The value that `session()` yields: accessing any attribute of it raises an error."""

    def __getattr__(self, attr: str) -> NoReturn:
        raise AttributeError(
            "Trying to access properties or call methods on the result of self.session(), self.cached_session(), etc "
            f"while eager execution is enabled: {attr!r}. tfcompat has no sessions; use self.evaluate(...)."
        )


class FakeEagerSession:
    """The value that `cached_session()` yields: its `run` evaluates tensors."""

    def __init__(self, evaluate: Callable[[Any], Any]) -> None:
        self._evaluate = evaluate

    def run(self, fetches: Any, feed_dict: Any = None) -> Any:
        """The values of `fetches`. Raises NotImplementedError for a `feed_dict`: tfcompat has no placeholders."""
        if feed_dict:
            raise NotImplementedError("tf.test: tfcompat has no placeholders to feed; pass values to a function.")
        return self._evaluate(fetches)
