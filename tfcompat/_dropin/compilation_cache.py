"""JAX's compilation cache, as `python -m tfcompat` sets it up: later runs of a program load its compiled parts.

Whatever is wrong with the folder, programs run as they do without a cache. The cache changes no result: JAX finds a
program by everything that it was compiled from.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import shutil
import stat
import sys
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax

from tfcompat._core.system.config import settings

# "0" for no cache, or the folder to use.
SWITCH = "TFCOMPAT_COMPILATION_CACHE"
# Settings of JAX: whoever uses one of them manages the cache, and its size.
_OF_JAX = ("JAX_COMPILATION_CACHE_DIR", "JAX_ENABLE_COMPILATION_CACHE", "JAX_COMPILATION_CACHE_MAX_SIZE")
_MOST_BYTES = 128 << 20
# Nothing is written to a disk that has less room than this.
_LEAST_FREE = 256 << 20
# The size is bounded at the start, and again each time this number of programs was compiled.
_PROGRAMS_BETWEEN_SWEEPS = 256
_LEAST_SECONDS = "jax_persistent_cache_min_compile_time_secs"
_CHECKED = "checked"
_WRITTEN = "/jax/compilation_cache/cache_misses"
_ZLIB = b"\x78"
# The lines of Linux's description of a processor that name its instructions.
_FEATURES = ("model name", "flags", "CPU implementer", "CPU part", "Features")


def keep_programs() -> None:
    """Lets JAX load and store compiled programs in the user's folder, unless the environment says otherwise."""
    if os.environ.get(SWITCH) == "0" or any(name in os.environ for name in _OF_JAX):
        return
    try:
        folder = _usable_folder()
        can_write = os.access(folder, os.W_OK) and shutil.disk_usage(folder).free >= _LEAST_FREE
        if can_write:
            sweep(folder)
    except (OSError, RuntimeError) as refused:
        if settings.is_explaining:
            sys.stderr.write(f"tfcompat: compiled programs are not kept: {refused}\n")
        return
    # A program that cannot be read or written is compiled. Users need not know that another run has removed it, say.
    warnings.filterwarnings("ignore", "Error (reading|writing) persistent compilation cache entry")
    jax.config.update("jax_compilation_cache_dir", str(folder))
    if can_write:
        # All are stored: a small one takes 50 ms to compile, and 2 ms to load.
        jax.config.update(_LEAST_SECONDS, float(os.environ.get(_LEAST_SECONDS.upper(), 0.0)))
        jax.monitoring.register_event_listener(_Bounded(folder))
    else:
        _store_nothing()


def _store_nothing() -> None:
    """Lets JAX load programs, and store none."""
    jax.config.update(_LEAST_SECONDS, float("inf"))


def _usable_folder() -> Path:
    """The folder of this machine's programs. Raises OSError or RuntimeError if it cannot be had or trusted."""
    chosen = os.environ.get(SWITCH)
    folder = (Path(chosen).absolute() if chosen else _user_folder() / "tfcompat") / _machine()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if sys.platform == "win32":
        return folder
    found = folder.stat()
    is_shared = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) or found.st_uid != os.geteuid()
    if is_shared and not chosen:
        # Loaded programs are machine code.
        raise PermissionError(f"{folder} can be written by other users")
    return folder


def _user_folder() -> Path:
    """The folder for caches that the conventions of the platform name. Raises RuntimeError if the user has no home."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return named if named.is_absolute() else Path.home() / ".cache"


def _machine() -> str:
    """A name for the processor and the number of threads: JAX does not compare them, and machine code depends on them.

    Homes are shared by different machines, and containers get different numbers of cores.
    """
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count()
    threads = [cores, os.environ.get("NPROC"), os.environ.get("PJRT_NPROC")]
    described = [sys.platform, *threads, os.environ.get("PROCESSOR_IDENTIFIER"), *_processor()]
    return f"{platform.machine()}-{hashlib.sha256(repr(described).encode()).hexdigest()[:16]}"


def _processor() -> list[str]:
    """Linux's description of the instructions of the first processor."""
    found: list[str] = []
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if not line.strip():
                    break
                if line.startswith(_FEATURES):
                    found.append(line)
    except OSError:
        return found
    return found


def sweep(folder: Path, most_bytes: int = _MOST_BYTES) -> None:
    """Removes broken programs from `folder`, and the least recently used ones beyond `most_bytes`."""
    mark = folder / _CHECKED
    checked = mark.stat().st_mtime if mark.exists() else 0.0
    mark.touch()
    kept: list[tuple[float, int, str]] = []
    for path, found in _files(folder):
        if found.st_mtime >= checked and not _is_whole(path):
            _remove(path)
        else:
            kept.append((max(found.st_atime, found.st_mtime), found.st_size, path))
    if sum(size for _, size, _ in kept) <= most_bytes:
        return
    total = 0
    for _, size, path in sorted(kept, reverse=True):
        total += size
        if total > most_bytes:
            _remove(path)


def _files(folder: str | Path) -> Iterator[tuple[str, os.stat_result]]:
    """The files below `folder`; other processes may be removing them."""
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                if entry.is_dir(follow_symlinks=False):
                    yield from _files(entry.path)
                else:
                    yield entry.path, entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue


def _remove(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def _is_whole(path: str) -> bool:
    """Whether the stored program `path` can be unpacked: JAX would neither load nor replace it otherwise.

    The disk may have been full, or the process killed, when it was written. A program that another process is just
    writing is lost, which costs time only.
    """
    if not path.endswith("-cache"):
        return True
    try:
        with open(path, "rb") as file:
            packed = file.read()
        if packed.startswith(_ZLIB):
            zlib.decompress(packed)
    except FileNotFoundError:
        return True
    except zlib.error:
        return False
    return bool(packed)


class _Bounded:
    """Bounds the size of `folder` while a process fills it: a listener to JAX's events."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._written = 0

    def __call__(self, event: str, **_: Any) -> None:
        if event != _WRITTEN:
            return
        self._written += 1
        if self._written % _PROGRAMS_BETWEEN_SWEEPS == 0:
            try:
                sweep(self._folder)
            except OSError:
                _store_nothing()
