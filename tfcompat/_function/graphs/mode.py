"""The execution mode: whether decorated functions run as plain Python, and whether code runs eagerly."""

from __future__ import annotations

from tfcompat._core.tracing.trace import here


class _Mode:
    """The mode.

    Attributes:
      runs_eagerly: whether decorated functions run as plain Python.
    """

    runs_eagerly = False


mode = _Mode()


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Makes every `tf.function` run as plain Python if `run_eagerly`, and otherwise from its trace.

    Source: TF 2.21 `tf.config.run_functions_eagerly`.
    """
    mode.runs_eagerly = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """Whether every `tf.function` runs as plain Python.

    Source: TF 2.21 `tf.config.functions_run_eagerly`.
    """
    return mode.runs_eagerly


def executing_eagerly() -> bool:
    """Whether code runs outside of every `tf.function`.

    Source: TF 2.21 `tf.executing_eagerly`.
    """
    return here.graph is None and here.untraced is None


def inside_function() -> bool:
    """Whether code runs in a `tf.function`.

    Source: TF 2.21 `tf.inside_function`.
    """
    return not executing_eagerly()
