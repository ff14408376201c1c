"""Forms of input that many rows use: rank 0, empty, broadcasting, corners and special values."""

from __future__ import annotations

UNARY = [(2, 3), (), (0,), (2, 0, 3), ((16,), "corners"), ((12,), "specials")]
SMOOTH = [(2, 3), (), (0, 2), ((16,), "corners"), ((5,), "with_nan")]
INSIDE_UNIT = [((2, 3), "unit"), ((), "unit"), (0,), ((16,), "corners"), ((12,), "specials")]

LEFT = [(2, 3), (2, 1), (), (3,), (0, 3), ((8, 1), "corners"), ((12, 1), "specials")]
RIGHT = [(2, 3), (1, 3), (2, 2), (), (1,), ((1, 8), "corners"), ((1, 12), "specials")]
LEFT_TIED = [((2, 3), "ties"), *LEFT[1:]]
RIGHT_TIED = [((2, 3), "ties"), *RIGHT[1:]]
LEFT_POSITIVE = [((2, 3), "positive"), *LEFT[1:]]
RIGHT_POSITIVE = [((2, 3), "positive"), *RIGHT[1:]]

REDUCED = [(3, 4), (), (0,), (0, 3), (2, 3, 2), ((4, 3), "ties"), ((3, 3), "with_nan"), ((2, 4), "corners")]
AXES = (None, 0, -1, [0, 1], (), [-1])
