"""Records as text: a changed value changes a line."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

from tests import oracle
from tests.docs.document import ROOT
from tests.golden.text import is_array, lines

MATRIX = oracle.encoded_array(np.array([[1.0, 0.1], [np.nan, -0.0]], np.float32))
RECORD = {
    "nn.relu(float32[2])": {
        "inputs": 7,
        "value": {"structure": {"list": ["tensor"]}, "leaves": [MATRIX]},
        "gradient": {"entries": [None, MATRIX], "sliced": [0]},
    },
    "nn.foo()": {"value": {"error": "ValueError"}},
    "Tensor": None,
    "Tensor.ref": [["self", "POSITIONAL_OR_KEYWORD"], ["name", "KEYWORD_ONLY", "None"]],
}
TEXT = """\
nn.relu(float32[2])
  inputs: 7
  value.structure.list: ["tensor"]
  value.leaves[0]: float32 [2, 2]
    [0] 1.0 0.1
    [1] nan -0.0
  gradient.entries[0]: null
  gradient.entries[1]: float32 [2, 2]
    [0] 1.0 0.1
    [1] nan -0.0
  gradient.sliced: [0]
nn.foo()
  value.error: "ValueError"
Tensor
  null
Tensor.ref
  [0]: ["self", "POSITIONAL_OR_KEYWORD"]
  [1]: ["name", "KEYWORD_ONLY", "None"]
"""


def test_text_of_a_record():
    assert "\n".join(lines(RECORD)) + "\n" == TEXT


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.array(3, np.int64), ["  int64 [] 3"]),
        (np.array([True, False]), ["  bool [2]", "    True False"]),
        (np.array([1.5 - 2j], np.complex64), ["  complex64 [1]", "    (1.5-2j)"]),
        (np.array([0.1], ml_dtypes.bfloat16), ["  bfloat16 [1]", "    0.100098"]),
        (np.array([b"a b", b"\xff"], object), ["  object [2]", "    b'a b' b'\\xff'"]),
        (np.zeros([0, 2], np.float32), ["  float32 [0, 2]"]),
    ],
    ids=lambda found: found.dtype.name if isinstance(found, np.ndarray) else "",
)
def test_text_of_arrays(array, text):
    assert list(lines({"key": oracle.encoded_array(array)})) == ["key", *text]


def test_every_digit_that_tells_numbers_apart_is_shown():
    value = np.float32(0.1)
    texts = {tuple(lines({"": oracle.encoded_array(np.array(x))})) for x in (value, np.nextafter(value, np.float32(1)))}
    assert len(texts) == 2


def test_entry_that_only_resembles_an_array_is_none():
    assert not is_array(["self", "POSITIONAL_OR_KEYWORD", "None"])
    assert not is_array([[3, 3], [], 2])


@pytest.mark.parametrize("path", sorted(oracle.GOLDEN.glob("*.json.gz")), ids=lambda path: path.name)
def test_every_record_has_a_text(path):
    record = oracle.load(path.name.removesuffix(".json.gz"))
    found = list(lines(record))
    assert [line for line in found if line in record] == list(record)
    assert max(map(len, found)) < 100_000


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_shows_records_as_text(tmp_path):
    def git(*arguments):
        call = ["git", "-c", "user.name=n", "-c", "user.email=e", *arguments]
        return subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    (tmp_path / "tests" / "golden").mkdir(parents=True)
    (tmp_path / ".gitattributes").write_text((ROOT / ".gitattributes").read_text())
    path = tmp_path / "tests" / "golden" / "made_up.json.gz"
    git("init", "-q")
    path.write_bytes(gzip.compress(json.dumps(RECORD).encode(), mtime=0))
    git("add", ".")
    path.write_bytes(gzip.compress(json.dumps(RECORD).replace("ValueError", "TypeError").encode(), mtime=0))
    shown = git("-c", f"diff.golden.textconv=PYTHONPATH={ROOT} {sys.executable} -m tests.golden.text", "diff")
    assert '\n-  value.error: "ValueError"\n+  value.error: "TypeError"\n' in shown
    assert "\n nn.foo()\n" in shown
