"""The strategy that draws programs."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.fuzz.action import ACTIONS
from tests.fuzz.program import Program, Step

SHAPES = ((3,), (2, 3), (3, 3), (), (1, 3), (2, 1), (2, 2, 3), (0, 3), (4,))
FLOATS = ("float64", "float32")
WAYS = ("plain", "nested", "persistent", "jacobian", "forward", "decorated")

_STEPS = st.builds(
    Step,
    st.sampled_from(sorted(ACTIONS)),
    st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 7)),
    st.integers(0, 11),
    st.sampled_from((0.5, -1.0, 2.0, 0.0, 3.0, 0.1)),
)


def _steps(least: int, most: int) -> st.SearchStrategy[tuple[Step, ...]]:
    return st.lists(_STEPS, min_size=least, max_size=most).map(tuple)


PROGRAMS = st.builds(
    Program,
    st.sampled_from(FLOATS),
    st.tuples(*[st.sampled_from(SHAPES)] * 4),
    _steps(0, 4),
    _steps(1, 10),
    _steps(0, 3),
    st.sampled_from(WAYS),
    st.integers(0, 7),
    st.integers(0, 3),
)
