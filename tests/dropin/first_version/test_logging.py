"""Messages of TensorFlow 1 go to TensorFlow's logger, with the caller's position."""

from __future__ import annotations

import logging as standard

import pytest

import tfcompat as tf
from tfcompat._first_version.logging import clear
from tfcompat.compat.v1 import logging


@pytest.fixture(autouse=True)
def every_level():
    clear()
    level = tf.get_logger().level
    logging.set_verbosity(logging.DEBUG)
    yield
    logging.set_verbosity(level)
    clear()


@pytest.mark.parametrize(
    ("function", "level"),
    [("debug", 10), ("info", 20), ("warn", 30), ("warning", 30), ("error", 40), ("fatal", 50)],
)
def test_levels(caplog, function, level):
    getattr(logging, function)("a %s", "b")
    assert [(record.name, record.levelno, record.getMessage()) for record in caplog.records] == [
        ("tensorflow", level, "a b")
    ]
    assert caplog.records[0].filename == "test_logging.py"


def test_numbers_of_levels():
    assert (logging.DEBUG, logging.INFO, logging.WARN, logging.ERROR, logging.FATAL) == (10, 20, 30, 40, 50)


def test_verbosity(caplog):
    logging.set_verbosity(logging.ERROR)
    logging.info("quiet")
    logging.error("loud")
    assert logging.get_verbosity() == standard.ERROR
    assert [record.getMessage() for record in caplog.records] == ["loud"]


def test_level_is_an_argument(caplog):
    logging.log(logging.INFO, "a %d", 1)
    logging.vlog(logging.INFO, "b")
    logging.log_if(logging.INFO, "c", True)
    logging.log_if(logging.INFO, "d", False)
    logging.TaskLevelStatusMessage("e")
    logging.flush()
    assert [record.getMessage() for record in caplog.records] == ["a 1", "b", "c", "e"]


def test_places_are_counted(caplog):
    for turn in range(5):
        logging.log_every_n(logging.INFO, "every %d", 2, turn)
        logging.log_first_n(logging.INFO, "first %d", 2, turn)
    assert [record.getMessage() for record in caplog.records] == ["every 0", "first 0", "first 1", "every 2", "every 4"]
