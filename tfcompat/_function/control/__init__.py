"""Control flow: ops that call Python functions, once, or as often as values say."""

from __future__ import annotations

from tfcompat._function.control.branch import cond, switch_case
from tfcompat._function.control.loop import while_loop
