"""The page of supported names agrees with the code."""

from __future__ import annotations

import tfcompat as tf
from tests.golden import supported
from tfcompat._dropin.way_out import WAYS_OUT


def test_page_is_fresh():
    assert supported.PAGE.read_text() == supported.page(), "run python -m tests.golden.supported"


def test_page_lists_what_is_there_and_what_is_refused():
    lines = supported.page().splitlines()
    assert "## tf.nn" in lines
    nn = lines[lines.index("## tf.nn") + 2 :]
    assert "`relu`" in " ".join(nn[: nn.index("")])
    assert "settings" not in supported.names_by_namespace()["config"]
    assert "`numeric_column`" in " ".join(lines[lines.index("## Refused") :])


def test_nothing_is_both_supported_and_refused():
    assert [name for name in supported.names_with_members() if name in WAYS_OUT] == []


def test_names_with_members_know_methods():
    names = set(supported.names_with_members())
    assert {"Variable.assign", "GradientTape.gradient", "nn.relu"} <= names
    assert all(hasattr(tf, name.partition(".")[0]) for name in names)
