"""The user's line of a step is looked up by the instruction that called this package."""

from __future__ import annotations

import gc
import weakref

import tfcompat as tf
from tfcompat._core.system import location
from tfcompat._core.system.location import user_line


def compiled(lines, file="cell.py"):
    """The code of `found = user_line()`, after as many empty lines as `lines`."""
    return compile("\n" * lines + "found = user_line()", file, "exec")


def test_lines_of_equal_instructions_in_different_code():
    for lines in (0, 3):
        names = {"user_line": user_line}
        exec(compiled(lines), names)
        assert names["found"] == f"cell.py:{lines + 1}"


def test_code_that_has_the_place_of_other_code_in_memory_has_its_own_line():
    code, other = compiled(2), compiled(5)
    names = {"user_line": user_line}
    exec(code, names)
    for key, (_, of) in list(location._lines.items()):
        if of() is code:
            location._lines[key] = "cell.py:6", weakref.ref(other)
    exec(code, names)
    assert names["found"] == "cell.py:3"


def test_lines_keep_no_code_alive():
    code = compile("y = tf.constant([1.0, 2.0]) * 3.0", "cell.py", "exec")
    exec(code, {"tf": tf})
    watched = weakref.ref(code)
    del code
    gc.collect()
    assert watched() is None
