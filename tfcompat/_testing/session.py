"""What `tf.test.TestCase` hands out in place of a session: there are none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn


class EagerSessionWarner:
    """What `session()` yields: a context may stand there, but whatever it is asked for is refused."""

    def __getattr__(self, attr: str) -> NoReturn:
        raise AttributeError(
            "Trying to access properties or call methods on the result of self.session(), self.cached_session(), etc "
            f"while eager execution is enabled: {attr!r}. There are no sessions; use self.evaluate(...)."
        )


class FakeEagerSession:
    """What `cached_session()` yields: its `run` evaluates tensors."""

    def __init__(self, evaluate: Callable[[Any], Any]) -> None:
        self._evaluate = evaluate

    def run(self, fetches: Any, feed_dict: Any = None) -> Any:
        """The values of `fetches`. Raises NotImplementedError for a `feed_dict`: there are no placeholders."""
        if feed_dict:
            raise NotImplementedError("tf.test: there are no placeholders to feed; pass values to a function.")
        return self._evaluate(fetches)
