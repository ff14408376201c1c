"""TensorFlow's scope that keeps embeddings on TPUs from overlapping with other work, which orbit opens."""

from __future__ import annotations

from types import TracebackType


class SequentialEmbeddingContext:
    """A context in which no lookup of embeddings overlaps with other work. None does here, so it changes nothing."""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        del kind, error, trace
