"""Programs in processes of their own that do not import JAX again: forks of a process that has imported it.

They import tfcompat themselves, and their backend starts in them. Use `subprocess` instead in tests of imports, of
Python's options, of what depends on the seed of hashes, and where the output is read before the program ends.
"""

from __future__ import annotations

import atexit
import functools
import gc
import importlib.util
import json
import os
import runpy
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types
from collections.abc import Mapping, Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

from tests.stack import with_room

ROOT = Path(__file__).parents[1]
# The interval, in seconds, at which a program is asked whether it has ended.
INTERVAL = 0.01
# Modules that a program need not import again: JAX, and those that most programs have tfcompat import.
SHARED = (
    *("jax", "jax.experimental.multihost_utils", "jax.export", "jax.extend", "jax.numpy", "jax.scipy.special"),
    *("jaxlib.mlir.dialects.mhlo", "malt", "pytest"),
)


class Forked:
    """A program, started like `python *arguments`, with the methods of `subprocess.Popen` that tests use.

    The arguments are `-c CODE ...`, `-m MODULE ...` or `SCRIPT ...`. It inherits `environment`, or this process' own.
    """

    def __init__(
        self, arguments: Sequence[str], *, cwd: Path | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        given = dict(os.environ if environment is None else environment)
        # JAX reads these when it is imported.
        self._origin = _origin(frozenset(item for item in given.items() if item[0].startswith(("JAX_", "PYTHON"))))
        self._folder = Path(tempfile.mkdtemp())
        self._printed: tuple[str, str] | None = None
        self.arguments = arguments
        self.returncode: int | None = None
        self.pid: int = self._origin.ask(
            action="start", arguments=arguments, cwd=str(cwd or Path.cwd()), environment=given, folder=str(self._folder)
        )

    def poll(self) -> int | None:
        """The exit status, or None while the program runs."""
        if self.returncode is None:
            self.returncode = self._origin.ask(action="poll", pid=self.pid)
            if self.returncode is not None:
                self._printed = self._read()
                shutil.rmtree(self._folder)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit status at the end; TimeoutExpired if the program takes longer than `timeout` seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        while (status := self.poll()) is None:
            if timeout is not None and end is not None and time.monotonic() > end:
                raise subprocess.TimeoutExpired(list(self.arguments), timeout, *self._read())
            time.sleep(INTERVAL)
        return status

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """The text on standard output and on standard error, when the program has ended."""
        self.wait(timeout)
        assert self._printed is not None
        return self._printed

    def send_signal(self, number: int) -> None:
        """Sends the signal, unless the program has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kills the program, unless it has ended."""
        self.send_signal(signal.SIGKILL)

    def _read(self) -> tuple[str, str]:
        output, errors = ((self._folder / name).read_text() for name in ("output", "errors"))
        return output, errors


def run(
    arguments: Sequence[str],
    *,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> subprocess.CompletedProcess[str]:
    """Runs a program to its end, as `subprocess.run` does; one that takes longer than `timeout` is killed."""
    program = Forked(arguments, cwd=cwd, environment=environment)
    try:
        output, errors = program.communicate(timeout)
    finally:
        program.kill()
        program.wait()
    return subprocess.CompletedProcess(list(arguments), program.wait(), output, errors)


class _Origin:
    """The process that forks."""

    def __init__(self, settings: frozenset[tuple[str, str]]) -> None:
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("JAX_", "PYTHON"))}
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.forked"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env=environment | dict(settings),
        )
        atexit.register(self._end)

    def _end(self) -> None:
        self._process.communicate()

    def ask(self, **request: Any) -> Any:
        """The answer to a request."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._lock:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
            return json.loads(self._process.stdout.readline())


_origin = functools.cache(_Origin)


def _serve() -> list[str]:
    """Answers requests, until this is a fork that shall run a program: returns its arguments."""
    with os.fdopen(os.dup(0), "rb") as requests, os.fdopen(os.dup(1), "wb", buffering=0) as answers:
        while line := requests.readline():
            request = json.loads(line)
            if request["action"] == "poll":
                pid, status = os.waitpid(request["pid"], os.WNOHANG)
                answer = os.waitstatus_to_exitcode(status) if pid else None
            elif answer := os.fork():
                pass
            else:
                break
            answers.write(json.dumps(answer).encode() + b"\n")
        else:
            sys.exit()
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environment"])
    for number, name in enumerate((os.devnull, *(f"{request['folder']}/{name}" for name in ("output", "errors")))):
        descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        os.dup2(descriptor, number)
        os.close(descriptor)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return request["arguments"]


def _keep_code(package: Path) -> None:
    """Reads the compiled code of a package, which programs then execute without reading it again."""
    read = SourceFileLoader.get_code
    codes: dict[str, types.CodeType] = {}
    for path in package.rglob("*.py"):
        name = ".".join(path.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__")
        codes[str(path)] = read(SourceFileLoader(name, str(path)), name)

    def get_code(loader: SourceFileLoader, name: str) -> types.CodeType:
        return codes[loader.path] if loader.path in codes else read(loader, name)

    SourceFileLoader.get_code = get_code


def _main() -> None:
    # Elsewhere a fork without a new program is unsafe, and TensorFlow's environment, of `make oracle`, has no JAX.
    is_shared = sys.platform == "linux" and importlib.util.find_spec("jax") is not None
    if is_shared:
        for name in SHARED:
            importlib.import_module(name)
        _keep_code(ROOT / "tfcompat")
        # A collection of garbage, also the one at the end of a program, copies each page whose objects it visits.
        gc.collect()
        gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # those of the terminal are for the tests
    kind, *rest = sys.argv = _serve()
    if not is_shared:
        os.execv(sys.executable, [sys.executable, *sys.argv])
    sys.modules["numpy"].random.seed()  # Python's own generator gets a new seed by itself
    if kind == "-m":
        sys.path[0], sys.argv = os.getcwd(), rest
        with_room(runpy.run_module, rest[0], run_name="__main__", alter_sys=True)
        return
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    if kind == "-c":
        sys.path[0], sys.argv, code = "", [kind, *rest[1:]], compile(rest[0], "<string>", "exec")
    else:
        main.__file__, code = kind, compile(Path(kind).read_text(), kind, "exec")
        sys.path[:1] = [str(Path(kind).parent), str(ROOT)]
    with_room(exec, code, main.__dict__)


if __name__ == "__main__":
    _main()
