"""Settings of the recorder, public as `tfcompat.config`.

Environment: `TFCOMPAT_EXPLAIN=1` reports on stderr why each flush, each compilation and each trace happened, and where;
  `TFCOMPAT_CHECK=1` validates every program before it is compiled; `TFCOMPAT_IMMEDIATE=1` runs each op at once;
  `TFCOMPAT_HOST=0` also compiles structures that run once; `TFCOMPAT_PADDING=0` compiles a program for each size.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator
from dataclasses import dataclass


@dataclass
class Settings:
    """The settings.

    Attributes:
      is_immediate: run each op when it is called instead of recording it; slow, for debugging.
      is_hosting: let NumPy evaluate small structures at their first run, instead of compiling them.
      is_padding: run recordings whose sizes vary by padded programs, instead of compiling one for each size.
      is_deterministic: choose what runs a recording, and the sizes of a padded program, by the recording alone.
      is_continuing: run training steps by programs from the first run on. It is set when a checkpoint is saved or
        restored: a process that continues another one must round as that one does in its later runs.
      is_checking_numerics: raise if an op returns nan or an infinity; for debugging, with `is_immediate`.
      is_explaining: report on stderr why each flush, compilation and trace of a function happened.
      is_logging_devices: report on stderr on which device each op runs, program by program.
      is_checking: validate every program before it is compiled.
      max_ops: a trace is flushed where a loop begins again after this many values, at the latest after twice as many.
      max_bytes: the same for the bytes of all its values.
      max_programs: how many compiled programs are kept; the least recently used is dropped first. A small one takes
        1.5 MB.
      max_steps: of how many recorded steps the structure is kept; those that lead to no kept program are dropped first.
    """

    is_immediate: bool = os.environ.get("TFCOMPAT_IMMEDIATE") == "1"
    is_hosting: bool = os.environ.get("TFCOMPAT_HOST") != "0"
    is_padding: bool = os.environ.get("TFCOMPAT_PADDING") != "0"
    is_deterministic: bool = False
    is_continuing: bool = False
    is_checking_numerics: bool = False
    is_explaining: bool = os.environ.get("TFCOMPAT_EXPLAIN") == "1"
    is_logging_devices: bool = False
    is_checking: bool = os.environ.get("TFCOMPAT_CHECK") == "1"
    max_ops: int = 1_000
    max_bytes: int = 4 << 30
    max_programs: int = 256
    max_steps: int = 50_000


settings = Settings()


@contextlib.contextmanager
def immediate(enabled: bool = True) -> Generator[None]:
    """Within this context every op runs when it is called (or, with `enabled=False`, is recorded)."""
    before = settings.is_immediate
    settings.is_immediate = enabled
    try:
        yield
    finally:
        settings.is_immediate = before
