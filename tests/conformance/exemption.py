"""What the conformance tests leave out, each with its reason."""

from __future__ import annotations

# Public functions that are no ops, or whose tests stand elsewhere.
EXEMPT: dict[str, str] = {}

# Rows of the list of cases whose op is not there yet.
PLANNED: dict[str, str] = {}

# Callables whose parameters differ from TensorFlow's.
SIGNATURE: dict[str, str] = {}

# Public names at the top level that TensorFlow does not have.
OWN: dict[str, str] = {}
