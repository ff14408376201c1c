"""Names in name scopes; expected names are TensorFlow's."""

from __future__ import annotations

import threading

import pytest

import tfcompat as tf


def name_of_variable(name="v"):
    return tf.Variable(1.0, name=name).name


def test_scopes_nest():
    with tf.name_scope("a") as outer:
        assert outer == "a/"
        with tf.name_scope("b") as inner:
            assert inner == "a/b/"
            assert name_of_variable() == "a/b/v:0"
        assert name_of_variable() == "a/v:0"
    assert name_of_variable() == "v:0"


@pytest.mark.parametrize(
    ("name", "yielded", "variable"),
    [
        ("", "", "v:0"),
        ("x/", "x/", "x/v:0"),
        ("x/y", "o/x/y/", "o/x/y/v:0"),
        ("/x", "o//x/", "o//x/v:0"),
        ("a b", "o/a b/", "o/a b/v:0"),
        ("a//", "a//", "a//v:0"),
        ("/", "/", "/v:0"),
    ],
)
def test_scope_within_another(name, yielded, variable):
    with tf.name_scope("o"), tf.name_scope(name) as scope:
        assert scope == yielded
        assert name_of_variable() == variable


@pytest.mark.parametrize(
    ("name", "expected"), [(None, "o/Variable:0"), ("a/", "a:0"), ("a/b", "o/a/b:0"), ("a:0", "o/a:0:0")]
)
def test_variable_within_a_scope(name, expected):
    with tf.name_scope("o"):
        assert name_of_variable(name) == expected


def test_equal_names_are_kept():
    assert name_of_variable("twice") == name_of_variable("twice") == "twice:0"


@pytest.mark.parametrize("name", [None, 3, b"bytes"])
def test_name_that_is_no_string_is_refused(name):
    with pytest.raises(ValueError, match="name for name_scope must be a string"):
        tf.name_scope(name)


def test_scope_may_be_entered_again_and_inside_itself():
    scope = tf.name_scope("s")
    with scope as first, scope as second:
        assert (first, second) == ("s/", "s/s/")
    with scope as third:
        assert third == "s/"
    assert tf.get_current_name_scope() == ""


def test_scope_knows_its_name():
    assert tf.name_scope("s").name == "s"


def test_scope_ends_with_an_exception():
    with pytest.raises(KeyError), tf.name_scope("a"):
        raise KeyError
    assert tf.get_current_name_scope() == ""


def test_current_scope_has_no_slash_at_its_end():
    with tf.name_scope("a"), tf.name_scope("b"):
        assert tf.get_current_name_scope() == "a/b"


def test_threads_have_scopes_of_their_own():
    names = []
    with tf.name_scope("a"):
        thread = threading.Thread(target=lambda: names.append(name_of_variable()))
        thread.start()
        thread.join()
    assert names == ["v:0"]
