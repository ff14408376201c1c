"""Plugin for tests of tfcompat: XLA optimises little, since the tests compile some thousand programs, each to run once.

With TFCOMPAT_TEST_FLAGS=default it optimises as it does for users: products and sums may be fused, and round once. Then
everything is compiled; otherwise the host evaluates code that a test runs only once.
"""

from __future__ import annotations

import os
from importlib.metadata import version

import pytest

CHEAP = [
    *("--xla_backend_optimization_level=0", "--xla_llvm_disable_expensive_passes=true"),
    "--xla_cpu_parallel_codegen_split_count=1",  # a program in 32 parts may take twice the time of one in a single part
]
if version("jaxlib").startswith(("0.10.", "0.11.")):  # XLA stops at a flag that it does not know
    CHEAP += ["--xla_cpu_use_fusion_emitters=false"]  # a fifth of the time
FLAGS = {"cheap": " ".join(CHEAP), "default": ""}
CHOSEN = os.environ.get("TFCOMPAT_TEST_FLAGS", "cheap")
os.environ.setdefault("XLA_FLAGS", FLAGS[CHOSEN])
# Tests that run `python -m tfcompat` store no compiled programs in the folder of the user.
os.environ.setdefault("TFCOMPAT_COMPILATION_CACHE", "0")
if CHOSEN == "default":
    os.environ["TFCOMPAT_HOST"] = "0"


@pytest.fixture(autouse=True)
def trace_of_its_own() -> None:
    """Lets each test record, compile and draw as in a new process, whatever tests ran before.

    A tape that another test left behind may still hold its trace.
    """
    from tfcompat._core.programs import choice
    from tfcompat._core.programs.continuation import continuations
    from tfcompat._core.programs.family import variants
    from tfcompat._core.programs.program_cache import cache  # only now that the flags above are set
    from tfcompat._core.structure import check_outcome
    from tfcompat._core.system.config import settings
    from tfcompat._core.tracing.trace import Trace, here
    from tfcompat._random.seed import set_seed

    here.deferral.start()  # the programs of the test before
    check_outcome.clear()
    cache.clear()
    variants.clear()
    choice.lines.clear()
    continuations.clear()
    here.trace, here.tapes = Trace(), []
    settings.is_continuing = False
    set_seed(None)


@pytest.fixture
def without_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiles at the first run, where the host would evaluate ops."""
    from tfcompat._core.system.config import settings

    monkeypatch.setattr(settings, "is_hosting", False)
