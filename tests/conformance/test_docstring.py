"""The docstring of every public op states its result, shapes, dtypes and TensorFlow symbol."""

from __future__ import annotations

import inspect
import re

import pytest

from tests import oracle
from tests.cases import SUBJECTS
from tests.cases.dtype import Symbol
from tests.conformance.table import ROWS, is_present, tf

OPS = [
    name for name in ROWS if is_present(name) and not name.startswith(("Tensor.", "debugging.")) and "__" not in name
]
ENTRY = re.compile(r"^(Shapes|Dtypes|Gradient|Raises|Source): \S", re.MULTILINE)
SOURCE = re.compile(r"^Source: TF 2\.21 `tf\.([\w.]+)`", re.MULTILINE)
REQUIRED = {"Shapes", "Dtypes", "Source"}
# Functions on structures and on dtypes have no shapes to document.
STRUCTURAL = {row.name for row in SUBJECTS["structure"]}


@pytest.mark.parametrize("name", OPS)
def test_docstring_states_the_contract(name: str) -> None:
    function = Symbol(name).resolve(tf)
    text = inspect.getdoc(function) or ""
    assert text, "no docstring"
    entries = ENTRY.findall(text)
    required = {"Source"} if name in STRUCTURAL else REQUIRED
    assert required <= set(entries), text
    assert len(entries) == len(set(entries)), f"an entry stands twice: {entries}"
    named = SOURCE.search(text)
    assert named, text
    assert named[1] in oracle.signatures(), f"TensorFlow has no tf.{named[1]}"
    first_line = text.partition("\n")[0]
    siblings = set(dir(inspect.getmodule(function)))
    unknown = set(re.findall(r"`([a-z_]\w*)`", first_line)) - set(inspect.signature(function).parameters) - siblings
    assert first_line.endswith("."), first_line
    assert not unknown, f"{sorted(unknown)} are not arguments: {first_line}"
