"""Cases of a test of which the daily run has a part: those that share their code with others run in `make thorough`."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

import pytest


def thorough(case: Any) -> Any:
    """`case`, a value or the tuple of several arguments, as a parameter of the thorough run."""
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.thorough)


def without(later: Container[Any], cases: Iterable[Any]) -> list[Any]:
    """`cases` as parameters, of which those in `later` run in the thorough run."""
    return [thorough(case) if case in later else case for case in cases]


def one_in(count: int, cases: Iterable[Any]) -> list[Any]:
    """`cases` as parameters, of which one in `count` runs daily, from the first on."""
    return [thorough(case) if k % count else case for k, case in enumerate(cases)]
