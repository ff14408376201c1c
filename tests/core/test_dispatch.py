"""Handlers for other kinds of tensors are looked up only if a function refuses its arguments."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tfcompat._core.calls import dispatch


class Kind:
    """Tensors of a kind that no function supports."""


@pytest.fixture
def handlers(monkeypatch):
    """An empty table during the test."""
    monkeypatch.setattr(dispatch, "_handlers", {})


@dispatch.dispatched
def doubled(x, name=None):
    return (x * 2, name) if name else x * 2


@pytest.mark.usefixtures("handlers")
def test_a_handler_answers_where_the_function_refuses():
    dispatch.register(doubled, Kind, lambda x, name=None: (type(x), name))
    assert doubled(3) == 6
    assert doubled(Kind(), name="a") == (Kind, "a")
    with pytest.raises(TypeError):
        doubled(None)


@pytest.mark.usefixtures("handlers")
def test_handlers_are_found_in_lists_and_by_keyword():
    @dispatch.dispatched
    def joined(values):
        raise ValueError(f"refused: {values}")

    dispatch.register(joined, Kind, lambda values: len(values))
    assert joined([1, Kind(), 2]) == 3
    assert joined(values=[Kind()]) == 1
    with pytest.raises(ValueError, match="refused"):
        joined([1, 2])


@pytest.mark.usefixtures("handlers")
def test_what_is_wrapped_is_registered_too():
    dispatch.register(doubled, Kind, lambda x: type(x))
    assert dispatch.handler_of(doubled.__wrapped__, (Kind(),), {})(Kind()) is Kind
    dispatch.clear()
    assert dispatch.handler_of(doubled, (Kind(),), {}) is None


def test_errors_of_a_handler_are_its_own():
    rows = tf.ragged.constant([[1, 2], [3]])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.add(rows, tf.ragged.constant([[1], [2, 3]]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        rows + tf.ragged.constant([[1], [2, 3]])


def test_dense_arguments_ask_nothing(monkeypatch):
    def asked(*args):
        raise AssertionError(args)

    monkeypatch.setattr("tfcompat._core.calls.call.handler_of", asked)
    monkeypatch.setattr(dispatch, "handler_of", asked)
    x = tf.constant([1.0, 2.0])
    assert tf.add(tf.exp(x) * 0.0, 1).numpy().tolist() == [1.0, 1.0]
    assert tf.concat([x, x], axis=0).shape == (4,)
    assert tf.gather(x, [0]).numpy().tolist() == [1.0]
