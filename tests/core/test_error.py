"""The exceptions of `tf.errors` as TensorFlow 2.21 behaves."""

from __future__ import annotations

import copy
import pickle
import re

import pytest

from tfcompat._core.system import error

CODES = {
    "Cancelled": 1,
    "Unknown": 2,
    "InvalidArgument": 3,
    "DeadlineExceeded": 4,
    "NotFound": 5,
    "AlreadyExists": 6,
    "PermissionDenied": 7,
    "ResourceExhausted": 8,
    "FailedPrecondition": 9,
    "Aborted": 10,
    "OutOfRange": 11,
    "Unimplemented": 12,
    "Internal": 13,
    "Unavailable": 14,
    "DataLoss": 15,
    "Unauthenticated": 16,
}


def test_codes_have_tensorflows_numbers():
    snake_case = {re.sub("(?<=[a-z])(?=[A-Z])", "_", name).upper(): code for name, code in CODES.items()}
    assert {name: value for name, value in vars(error).items() if name.isupper()} == {"OK": 0, **snake_case}


@pytest.mark.parametrize(("name", "code"), CODES.items())
def test_error_class(name, code):
    cls = getattr(error, f"{name}Error")
    assert cls.__mro__ == (cls, error.OpError, Exception, BaseException, object)
    raised = cls(None, None, "boo")
    assert raised.error_code == code
    assert (raised.message, str(raised), raised.args) == ("boo", "boo", ())
    assert (raised.op, raised.node_def, raised.experimental_payloads) == (None, None, {})
    assert repr(raised) == f"{name}Error()"


def test_error_keeps_what_it_is_given():
    raised = error.InvalidArgumentError("node", "op", "boo", {"key": b"value"})
    assert (raised.node_def, raised.op, raised.experimental_payloads) == ("node", "op", {"key": b"value"})
    assert error.InvalidArgumentError(message="m", op=None, node_def=None).message == "m"


def test_op_error_takes_its_code():
    assert error.OpError(None, None, "m", 99).error_code == 99
    with pytest.raises(TypeError):
        error.OpError(None, None, "m")


def test_error_needs_node_op_and_message():
    with pytest.raises(TypeError):
        error.InvalidArgumentError("boo")


def test_error_attributes_are_read_only():
    with pytest.raises(AttributeError):
        error.NotFoundError(None, None, "m").message = "other"


def test_of_makes_an_error_of_the_class():
    raised = error.OutOfRangeError.of("End of sequence")
    assert type(raised) is error.OutOfRangeError
    assert (str(raised), raised.error_code) == ("End of sequence", 11)


@pytest.mark.parametrize(
    "raised",
    [error.InvalidArgumentError("node", "op", "boo", {"a": b"b"}), error.OpError("node", "op", "boo", 99)],
    ids=["subclass", "OpError"],
)
def test_error_survives_pickle_and_copy(raised):
    for again in (pickle.loads(pickle.dumps(raised)), copy.copy(raised)):
        assert type(again) is type(raised)
        assert (again.node_def, again.op, again.message) == ("node", "op", "boo")
        assert (again.error_code, again.experimental_payloads) == (raised.error_code, raised.experimental_payloads)


def test_errors_are_not_value_errors():
    assert not issubclass(error.InvalidArgumentError, ValueError)


def test_operator_not_allowed_is_a_type_error():
    assert error.OperatorNotAllowedInGraphError.__bases__ == (TypeError,)
    assert str(error.OperatorNotAllowedInGraphError("x")) == "x"
