"""Access to names that do not exist."""

from __future__ import annotations

import subprocess
import sys
import traceback
from pathlib import Path

import pytest

import tfcompat as tf


def test_namespaces_tell_their_path():
    with pytest.raises(AttributeError, match=r"tfcompat has no tf\.nn\.no_such_name yet; `python -m tfcompat guide"):
        _ = tf.nn.no_such_name
    with pytest.raises(AttributeError, match=r"tfcompat has no tf\.config\.experimental\.foo yet"):
        _ = tf.config.experimental.foo


@pytest.mark.parametrize("name", ["placeholder", "Session", "get_variable", "to_float", "random_normal"])
def test_name_of_tensorflow_1_is_told(name):
    with pytest.raises(AttributeError, match=rf"TensorFlow 2 has no tf\.{name}: .* tf\.compat\.v1\.{name}$"):
        getattr(tf, name)
    assert not hasattr(tf, name)
    assert hasattr(tf.compat.v1, name)


def test_dunder_names_are_not_taken_for_tensorflows():
    with pytest.raises(AttributeError, match="module 'tfcompat' has no attribute '__wrapped__'"):
        _ = tf.__wrapped__


def test_error_carries_what_python_needs_to_suggest_a_name():
    with pytest.raises(AttributeError) as caught:
        _ = tf.reduce_summ
    assert (caught.value.name, caught.value.obj) == ("reduce_summ", tf)


@pytest.mark.parametrize("name", ["no_such_part", "Session"])
def test_python_suggests_no_name_that_is_merely_as_long(name):
    with pytest.raises(AttributeError) as caught:
        getattr(tf, name)
    assert "Did you mean" not in "".join(traceback.format_exception_only(caught.value))
    assert caught.value.obj is None


def test_import_of_a_missing_name_is_an_import_error():
    with pytest.raises(ImportError, match="no_such_part"):
        from tfcompat import no_such_part  # noqa: F401  # pyright: ignore[reportAttributeAccessIssue]


def test_modules_that_take_long_to_load_wait_until_they_are_asked_for():
    code = (
        "import sys; import tfcompat as tf; assert 'malt' not in sys.modules; "
        "assert tf.autograph.experimental.do_not_convert; assert 'malt' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])
