"""Exceptions of signal handlers while a function of elements is traced for trial."""

from __future__ import annotations

import signal

import pytest

import tfcompat as tf
from tfcompat._data.function import block_program, short_shape


class Late(Exception):
    pass


@pytest.fixture
def alarmed(monkeypatch):
    """A function that makes each call of `module.name` be interrupted by a signal whose handler raises Late."""

    def late(*_):
        raise Late

    before = signal.signal(signal.SIGUSR1, late)

    def of(module, name):
        called = getattr(module, name)

        def interrupted(*args, **kwargs):
            signal.raise_signal(signal.SIGUSR1)
            return called(*args, **kwargs)

        monkeypatch.setattr(module, name, interrupted)

    yield of
    signal.signal(signal.SIGUSR1, before)


def dataset():
    return tf.data.Dataset.from_tensor_slices([1, 2, 3, 4, 5]).batch(2)


@pytest.mark.parametrize(
    ("module", "name"), [(short_shape, "_inferred"), (short_shape, "output_shapes"), (block_program, "HostProgram")]
)
def test_the_exception_of_a_handler_reaches_the_program(module, name, alarmed):
    made = dataset()
    alarmed(module, name)
    with pytest.raises(Late):
        list(made.map(lambda x: x[:1] * 2).as_numpy_iterator())


def test_the_dataset_can_be_made_and_read_again(alarmed, monkeypatch):
    made = dataset()
    alarmed(short_shape, "_inferred")
    with pytest.raises(Late):
        made.map(lambda x: x[:1] * 2)
    monkeypatch.undo()
    assert [row.tolist() for row in made.map(lambda x: x[:1] * 2).as_numpy_iterator()] == [[2], [6], [10]]
