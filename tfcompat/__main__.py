"""Runs an unmodified TensorFlow program on tfcompat.

python -m tfcompat [OPTION] SCRIPT [ARGUMENT...]      runs the script; `import tensorflow` imports tfcompat
python -m tfcompat [OPTION] -m MODULE [ARGUMENT...]   the same for a module
python -m tfcompat [OPTION] -c CODE [ARGUMENT...]     the same for a line of code
    --report[=FILE]   writes at the end, to standard error or FILE: the compiled programs, the division of time,
                      and the unsupported parts of TensorFlow that were asked for
python -m tfcompat check [--all] [--json] PATH...     lists the TensorFlow symbols in programs that tfcompat lacks, or
                                                      that differ; a PATH is a .py file, a notebook, or a folder of them
python -m tfcompat compare [--tensorflow PYTHON] [OPTION...] SCRIPT [ARGUMENT...]
                                                      runs the script under TensorFlow and here, compares the results
python -m tfcompat guide [PAGE]                       prints a page of the migration guide, or its table of contents
python -m tfcompat --version                          prints the versions of tfcompat, JAX and Python
"""

from __future__ import annotations

import gc
import logging
import os
import platform
import runpy
import sys
import traceback
from types import TracebackType

import jax

from tfcompat import version
from tfcompat._core.system import shortfall
from tfcompat._core.system.location import is_raised_here
from tfcompat._dropin.alias import install_as_tensorflow
from tfcompat._dropin.check import check
from tfcompat._dropin.child_process import give_alias_to_children
from tfcompat._dropin.comparison.command import compare
from tfcompat._dropin.compilation_cache import keep_programs
from tfcompat._dropin.guide import show_guide
from tfcompat._dropin.release import VERSION
from tfcompat._dropin.report.report import Report

_USAGE = 2
_REPORT = "--report"
_COMMANDS = {"check": check, "compare": compare, "guide": show_guide}
_OWN_FILES = (__file__, runpy.__file__, "<frozen runpy>")


def main() -> None:
    """Runs the command line; returns the exit status of the program."""
    arguments = sys.argv[1:]
    if arguments in (["-h"], ["--help"]):
        print(__doc__)
        return
    if arguments == ["--version"]:
        print(
            f"tfcompat {VERSION} (API of TensorFlow {version.VERSION}; JAX {jax.__version__}, "
            f"Python {platform.python_version()})"
        )
        return
    if not arguments or arguments in (["-m"], ["-c"]):
        print(__doc__, file=sys.stderr)
        sys.exit(_USAGE)
    if arguments[0] in _COMMANDS:
        sys.exit(status_of(arguments[0], arguments[1:]))
    if arguments[0].partition("=")[0] == _REPORT:
        option, *arguments = arguments
        if not arguments or arguments in (["-m"], ["-c"]):
            print(__doc__, file=sys.stderr)
            sys.exit(_USAGE)
        Report(" ".join(arguments), option.partition("=")[2]).begin()
    install_as_tensorflow()
    give_alias_to_children()
    keep_programs()
    # A program that logs at level INFO should not see JAX's messages of that level.
    logging.getLogger("jax").setLevel(logging.WARNING)
    sys.excepthook = show_exception
    # Full garbage collections would visit all objects of the imports, which takes 60 ms and more.
    gc.freeze()
    run(arguments)


def status_of(command: str, arguments: list[str]) -> int:
    """The exit status of a command of tfcompat; 1 if the reader of its output stops early, as `head` does."""
    try:
        status = _COMMANDS[command](arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes standard output again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    return status


def run(arguments: list[str]) -> None:
    """Runs the program named by the first of `arguments`, in the environment that Python would set up."""
    if arguments[0] in ("-m", "-c"):
        how, program, *rest = arguments
        sys.argv = [how, *rest]
        if how == "-m":
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})
        return
    sys.argv = arguments
    script = arguments[0]
    if not os.path.exists(script):
        problem = f"can't open file {os.path.abspath(script)!r}: [Errno 2] No such file or directory"
        print(f"{sys.executable}: {problem}", file=sys.stderr)
        sys.exit(_USAGE)
    if not sys.flags.safe_path:
        sys.path[0] = os.path.dirname(os.path.realpath(script))
    runpy.run_path(script, run_name="__main__")


def show_exception(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Prints an uncaught exception without the frames that precede the program's first line."""
    while trace is not None and trace.tb_frame.f_code.co_filename in _OWN_FILES:
        trace = trace.tb_next
    if isinstance(error, NotImplementedError) and trace is not None and is_raised_here(error):
        place, what = traceback.extract_tb(trace)[0], str(error).partition("\n")[0]
        if not any(what == noted for _, noted in shortfall.noted()):
            shortfall.note_at(f"{place.filename}:{place.lineno}", what)
    sys.__excepthook__(kind, error.with_traceback(trace), trace)


if __name__ == "__main__":
    main()
