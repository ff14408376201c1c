"""Settings of all tests: XLA optimises little, since the tests compile some thousand programs and run each once."""

from __future__ import annotations

import os

os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")
