"""Running tests and benchmarks: `tf.test.main` and related functions."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import re
import sys
import unittest
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from tfcompat._core.types.nest import map_structure
from tfcompat._testing.value import evaluated

_FLAG = "--benchmarks"
_REPORT = "TEST_REPORT_FILE_PREFIX"


class Benchmark:
    """A class with methods `benchmark...`, which `tf.test.main` runs if `--benchmarks` is given.

    Source: TF 2.21 `tf.test.Benchmark`.
    """

    @classmethod
    def is_abstract(cls) -> bool:
        """Whether this is `tf.test.Benchmark` itself."""
        return cls is Benchmark

    def evaluate(self, tensors: Any) -> Any:
        """The values of `tensors`, a structure."""
        return map_structure(evaluated, tensors)

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: dict[str, Any] | None = None,
        name: str | None = None,
        metrics: Sequence[dict[str, Any]] | None = None,
    ) -> None:
        """Prints the measurements under `name`, by default the name of the calling method.

        Raises: NotImplementedError if the environment requests files of protocol buffers.
        Source: TF 2.21 `tf.test.Benchmark.report_benchmark`.
        """
        if _REPORT in os.environ:
            raise NotImplementedError(f"tf.test.Benchmark: writing protocol buffers is not supported; unset {_REPORT}.")
        name = name or sys._getframe(1).f_code.co_name
        given = {"iters": iters, "cpu_time": cpu_time, "wall_time": wall_time, "throughput": throughput}
        lines = [f"{key}: {value}" for key, value in given.items() if value is not None]
        for key, value in (extras or {}).items():
            kind = "string_value" if isinstance(value, str) else "double_value"
            shown = f'"{value}"' if isinstance(value, str) else value
            lines += ["extras {", f'  key: "{key}"', "  value {", f"    {kind}: {shown}", "  }", "}"]
        for metric in metrics or ():
            lines += ["metrics {", *(f"  {key}: {_quoted(value)}" for key, value in metric.items()), "}"]
        body = "\n".join(f"  {line}" for line in (f'name: "{type(self).__name__}.{name}"', *lines))
        print(f"entry {{\n{body}\n}}\n")

    def run_op_benchmark(
        self,
        sess: Any,
        op_or_tensor: Any,
        feed_dict: Any = None,
        burn_iters: int = 2,
        min_iters: int = 10,
        store_trace: bool = False,
        store_memory_usage: bool = True,
        name: str | None = None,
        extras: dict[str, Any] | None = None,
        mbs: float = 0,
    ) -> NoReturn:
        """Raises NotImplementedError: tfcompat has no sessions."""
        del sess, op_or_tensor, feed_dict, burn_iters, min_iters, store_trace, store_memory_usage, name, extras, mbs
        raise NotImplementedError(
            "tf.test.Benchmark.run_op_benchmark: tfcompat has no sessions; time calls and tf.sync()."
        )


def main(argv: list[str] | None = None) -> None:
    """Runs the tests of the program, or, if `--benchmarks=REGEX` is among its arguments, the benchmarks.

    Source: TF 2.21 `tf.test.main`.
    """
    wanted = next((arg for arg in sys.argv if arg.startswith(_FLAG)), None)
    if wanted is not None:
        _run_benchmarks(wanted.partition("=")[2] or "all")
    elif importlib.util.find_spec("absl") is not None:
        importlib.import_module("absl.testing.absltest").main(argv=argv)
    else:
        unittest.main(argv=argv)


def disable_with_predicate(pred: Callable[[], bool], skip_message: str) -> Callable[..., Any]:
    """A decorator that skips a test with `skip_message` if `pred()` is true.

    Source: TF 2.21 `tf.test.disable_with_predicate`.
    """

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            return self.skipTest(skip_message) if pred() else func(self, *args, **kwargs)

        return run

    return decorate


def with_eager_op_as_function(cls: Any = None, only_as_function: bool = False) -> Any:
    """`cls` itself, or a decorator that returns it. `only_as_function` has no effect: all ops are compiled.

    Source: TF 2.21 `tf.test.with_eager_op_as_function`.
    """
    del only_as_function
    return (lambda decorated: decorated) if cls is None else cls


def _run_benchmarks(pattern: str) -> None:
    """Runs the benchmarks whose names `pattern` matches, or all."""
    found = [*Benchmark.__subclasses__()]
    for cls in found:
        found += cls.__subclasses__()
        for method in dir(cls):
            name = f"{cls.__module__}.{cls.__name__}.{method}"
            if method.startswith("benchmark") and (pattern == "all" or re.search(pattern, name)):
                getattr(cls(), method)()


def _quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
