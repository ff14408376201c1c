"""The assertions of `tf.test.TestCase` pass and fail as TensorFlow's do."""

from __future__ import annotations

import collections
import os
import random
import sys
import unittest

import numpy as np
import pytest

import tfcompat as tf

Pair = collections.namedtuple("Pair", "a b")
k = tf.constant
nan, inf = float("nan"), float("inf")


def made_case(name):
    """A test case of one class, which pytest does not collect."""

    class Drawing(tf.test.TestCase):
        def test_nothing(self):
            pass

        def test_draws(self):
            self.draws = random.random(), np.random.rand(), *(tf.random.uniform([]).numpy() for _ in range(2))

    return Drawing(name)


@pytest.fixture
def case():
    made = made_case("test_nothing")
    made.setUp()
    yield made
    made.tearDown()
    made.doCleanups()
    tf.random.set_seed(None)


HOLDS = {
    "close eq": lambda c: c.assertAllClose([1.0, 2.0], k([1.0, 2.0])),
    "close tol": lambda c: c.assertAllClose([1.0], [1.0 + 1e-6]),
    "close dict": lambda c: c.assertAllClose({"a": [1.0], "b": 2.0}, {"a": k([1.0]), "b": 2.0}),
    "close nan": lambda c: c.assertAllClose([nan], [nan]),
    "close inf": lambda c: c.assertAllClose([inf], [inf]),
    "close tuple": lambda c: c.assertAllClose(([1.0], [2.0, 3.0]), ([1.0], [2.0, 3.0])),
    "close nt": lambda c: c.assertAllClose(Pair(1.0, 2.0), Pair(1.0, 2.0)),
    "close int": lambda c: c.assertAllClose([1, 2], [1, 2]),
    "close bf16": lambda c: c.assertAllClose(k([1.0], tf.bfloat16), [1.0]),
    "close cplx": lambda c: c.assertAllClose([1 + 1j], [1 + 1j]),
    "close var": lambda c: c.assertAllClose(tf.Variable([1.0]), [1.0]),
    "close bool": lambda c: c.assertAllClose(True, True),
    "close empty": lambda c: c.assertAllClose([], []),
    "close ragged": lambda c: c.assertAllClose(tf.ragged.constant([[1.0], [2.0, 3.0]]), [[1.0], [2.0, 3.0]]),
    "eq": lambda c: c.assertAllEqual([1, 2], k([1, 2])),
    "eq nan": lambda c: c.assertAllEqual([nan], [nan]),
    "eq str": lambda c: c.assertAllEqual(["a"], k(["a"])),
    "eq bytes": lambda c: c.assertAllEqual([b"a"], k(["a"])),
    "eq dtype": lambda c: c.assertAllEqual([1], [1.0]),
    "eq ragged": lambda c: c.assertAllEqual(tf.ragged.constant([[1], [2, 3]]), [[1], [2, 3]]),
    "eq bool": lambda c: c.assertAllEqual([True], [1]),
    "eq bf16": lambda c: c.assertAllEqual(k([1.0], tf.bfloat16), [1.0]),
    "eq empty": lambda c: c.assertAllEqual([], []),
    "eq dict": lambda c: c.assertAllEqual({"a": 1}, {"a": 1}),
    "eq tuple tensors": lambda c: c.assertAllEqual((k(1), k(2)), [1, 2]),
    "eq None": lambda c: c.assertAllEqual(None, None),
    "noteq": lambda c: c.assertNotAllEqual([1], [2]),
    "noteq part": lambda c: c.assertNotAllEqual([1, 2], [1, 3]),
    "noteq shape": lambda c: c.assertNotAllEqual([1], 1),
    "notclose": lambda c: c.assertNotAllClose([1.0], [2.0]),
    "notclose shape": lambda c: c.assertNotAllClose([1.0], 1.0),
    "gr": lambda c: c.assertAllGreater([2, 3], 1),
    "ge": lambda c: c.assertAllGreaterEqual([2, 1], 1),
    "ls": lambda c: c.assertAllLess(k([1, 0]), 2),
    "le": lambda c: c.assertAllLessEqual([2], 2),
    "rng": lambda c: c.assertAllInRange([1, 2], 1, 2),
    "rng open": lambda c: c.assertAllInRange([1, 2], 1, 3, open_upper_bound=True),
    "set": lambda c: c.assertAllInSet([1, 2, 1], [1, 2]),
    "set str": lambda c: c.assertAllInSet(k(["a"]), [b"a"]),
    "dt": lambda c: c.assertDTypeEqual(k(1.0), "float32"),
    "dt np": lambda c: c.assertDTypeEqual(np.zeros(1), np.float64),
    "dt tf": lambda c: c.assertDTypeEqual(k(1.0), tf.float32),
    "dt list": lambda c: c.assertDTypeEqual([1.0, 2.0], np.float64),
    "sh": lambda c: c.assertShapeEqual(np.zeros([2, 3]), k(np.zeros([2, 3]))),
    "sh np": lambda c: c.assertShapeEqual(np.zeros(2), np.ones(2)),
    "near": lambda c: c.assertNear(1.0, 1.1, 0.2),
    "arrnear": lambda c: c.assertArrayNear([1.0], [1.1], 0.2),
    "nd": lambda c: c.assertNDArrayNear(np.ones(2), np.ones(2), 0.1),
    "nd shape": lambda c: c.assertNDArrayNear(np.ones(2), np.ones([2, 1]), 1.0),
    "type": lambda c: c.assertAllCloseAccordingToType(k([1.0], tf.float16), k([1.0005], tf.float16)),
    "type bf": lambda c: c.assertAllCloseAccordingToType(k([1.0], tf.bfloat16), [1.008]),
    "dev": lambda c: c.assertDeviceEqual("/cpu:0", "/device:CPU:0"),
}

FAILS = {
    "close off": (AssertionError, lambda c: c.assertAllClose([1.0, 2.0], [1.0, 2.1])),
    "close tol2": (AssertionError, lambda c: c.assertAllClose([1.0], [1.0 + 3e-6])),
    "close shape": (AssertionError, lambda c: c.assertAllClose([1.0], 1.0)),
    "close shape2": (AssertionError, lambda c: c.assertAllClose([[1.0]], [1.0])),
    "close dict keys": (AssertionError, lambda c: c.assertAllClose({"a": 1.0}, {"b": 1.0})),
    "close dict vs list": (ValueError, lambda c: c.assertAllClose({"a": 1.0}, [1.0])),
    "close ninf": (AssertionError, lambda c: c.assertAllClose([inf], [-inf])),
    "close ragged lists len": (AssertionError, lambda c: c.assertAllClose(([1.0], [2.0]), ([1.0],))),
    "close nt tuple": (ValueError, lambda c: c.assertAllClose(Pair(1.0, 2.0), (1.0, 2.0))),
    "close f16": (AssertionError, lambda c: c.assertAllClose(k([1.0], tf.float16), k([1.0005], tf.float16))),
    "close str": (TypeError, lambda c: c.assertAllClose(["a"], ["a"])),
    "close None": (TypeError, lambda c: c.assertAllClose(None, None)),
    "close empty shape": (AssertionError, lambda c: c.assertAllClose(np.zeros([0, 2]), np.zeros([0]))),
    "close ragged off": (
        AssertionError,
        lambda c: c.assertAllClose(tf.ragged.constant([[1.0], [2.0, 3.0]]), [[1.0], [2.0, 4.0]]),
    ),
    "eq off": (AssertionError, lambda c: c.assertAllEqual([1, 2], [1, 3])),
    "eq shape": (AssertionError, lambda c: c.assertAllEqual([1], 1)),
    "eq ragged off": (AssertionError, lambda c: c.assertAllEqual(tf.ragged.constant([[1], [2, 3]]), [[1], [2]])),
    "eq bf16 off": (AssertionError, lambda c: c.assertAllEqual(k([1.0], tf.bfloat16), [2.0])),
    "noteq same": (AssertionError, lambda c: c.assertNotAllEqual([1], [1])),
    "notclose same": (AssertionError, lambda c: c.assertNotAllClose([1.0], [1.0])),
    "gr off": (AssertionError, lambda c: c.assertAllGreater([2, 1], 1)),
    "ge off": (AssertionError, lambda c: c.assertAllGreaterEqual([0.0], k(1.0))),
    "ls off": (AssertionError, lambda c: c.assertAllLess([2], 2)),
    "le nan": (AssertionError, lambda c: c.assertAllLessEqual([nan], 2)),
    "rng off": (AssertionError, lambda c: c.assertAllInRange([1, 3], 1, 2)),
    "rng open off": (AssertionError, lambda c: c.assertAllInRange([1, 3], 1, 3, open_upper_bound=True)),
    "rng openl": (AssertionError, lambda c: c.assertAllInRange([1], 1, 3, open_lower_bound=True)),
    "rng nan": (AssertionError, lambda c: c.assertAllInRange([nan], 1, 3)),
    "rng str": (AssertionError, lambda c: c.assertAllInRange(["a"], 1, 3)),
    "rng bool": (AssertionError, lambda c: c.assertAllInRange([True], 0, 1)),
    "set off": (AssertionError, lambda c: c.assertAllInSet([1, 3], [1, 2])),
    "dt off": (AssertionError, lambda c: c.assertDTypeEqual(k(1.0), np.float64)),
    "sh off": (AssertionError, lambda c: c.assertShapeEqual(np.zeros([2]), k(1.0))),
    "sh list": (TypeError, lambda c: c.assertShapeEqual([1], [1])),
    "near off": (AssertionError, lambda c: c.assertNear(1.0, 1.3, 0.2)),
    "near nan": (AssertionError, lambda c: c.assertNear(nan, nan, 0.2)),
    "arrnear off": (AssertionError, lambda c: c.assertArrayNear([1.0], [1.3], 0.2)),
    "arrnear len": (AssertionError, lambda c: c.assertArrayNear([1.0], [1.0, 2.0], 0.2)),
    "nd off": (AssertionError, lambda c: c.assertNDArrayNear(np.ones(2), np.zeros(2), 1.0)),
    "type32": (AssertionError, lambda c: c.assertAllCloseAccordingToType(k([1.0]), k([1.0005]))),
    "type64": (
        AssertionError,
        lambda c: c.assertAllCloseAccordingToType(np.ones(1), np.ones(1) * (1 + 3e-6), float_rtol=1e-3),
    ),
    "dev off": (AssertionError, lambda c: c.assertDeviceEqual("/cpu:0", "/gpu:0")),
}


@pytest.mark.parametrize("check", HOLDS.values(), ids=HOLDS.keys())
def test_assertion_holds(case, check):
    check(case)


@pytest.mark.parametrize(("error", "check"), FAILS.values(), ids=FAILS.keys())
def test_assertion_fails(case, error, check):
    with pytest.raises(error):
        check(case)


def test_failure_tells_where(case):
    with pytest.raises(
        AssertionError, match=r"weights : not close \(rtol=1e-06, atol=1e-06\) at \[\[1\]\]: \[2.0\] and \[3.0\]"
    ):
        case.assertAllClose([1.0, 2.0], [1.0, 3.0], msg="weights")
    with pytest.raises(AssertionError, match=r"not close\['a'\]\[1\]"):
        case.assertAllClose({"a": [[1.0], [2.0, 3.0]]}, {"a": [[1.0], [2.0, 4.0]]})


def test_each_test_starts_from_tensorflows_seeds():
    first, second = made_case("test_draws"), made_case("test_draws")
    result = unittest.TestResult()
    first.run(result)
    second.run(result)
    tf.random.set_seed(None)
    assert result.wasSuccessful()
    assert first.draws == second.draws
    assert first.draws == pytest.approx((0.3499765785632496, 0.18463433217903202, 0.5836375, 0.5839981))


def test_errors_of_ops_are_expected_by_text_or_predicate(case):
    with case.assertRaisesOpError("must be in"):
        tf.gather([1], [5]).numpy()
    with case.assertRaisesWithPredicateMatch(ValueError, lambda error: "invalid" in str(error)):
        int("a")
    with case.assertRaisesIncompatibleShapesError():
        _ = tf.ones([2]) + tf.ones([3])


@pytest.mark.parametrize(
    ("expected", "call"),
    [
        ("no such words", lambda: tf.gather([1], [5]).numpy()),
        ("", lambda: 1),
        ("", lambda: 1 / 0),
        (lambda error: error is None, lambda: tf.gather([1], [5]).numpy()),
    ],
    ids=["other words", "no error", "another error", "predicate"],
)
def test_another_outcome_than_the_expected_error_fails(case, expected, call):
    with pytest.raises(AssertionError, match="Exception of type"), case.assertRaisesOpError(expected):
        call()


def test_evaluate(case):
    found = case.evaluate({"a": k(1), "b": [k(2.0), tf.Variable(3.0)], "c": None})
    assert found == {"a": 1, "b": [2.0, 3.0], "c": None}
    assert type(found["a"]) is np.int32
    assert case.evaluate(lambda: k(1)) == 1
    sparse = case.evaluate(tf.SparseTensor([[0, 1]], [5], [1, 2]))
    assert [part.tolist() for part in sparse] == [[[0, 1]], [5], [1, 2]]
    rows = case.evaluate(tf.IndexedSlices(k([1.0]), k([0])))
    assert (rows.values.tolist(), rows.indices.tolist(), rows.dense_shape) == ([1.0], [0], None)
    assert case.evaluate(tf.ragged.constant([[1], [2, 3]])).to_list() == [[1], [2, 3]]
    for wrong in (3, "abc", np.ones(2)):
        with pytest.raises(ValueError, match="Unsupported type"):
            case.evaluate(wrong)


def test_there_are_no_sessions(case):
    with case.session() as session, pytest.raises(AttributeError, match=r"use self\.evaluate"):
        session.run(k(1))
    with case.cached_session() as session:
        assert session.run({"a": k(1)}) == {"a": 1}
        with pytest.raises(NotImplementedError, match="no placeholders to feed"):
            session.run(k(1), feed_dict={"x": 1})
    with case.test_session() as session:
        assert session is None


def test_method_that_is_no_test_is_skipped():
    result = unittest.TestResult()
    made_case("test_session").run(result)
    assert [reason for _, reason in result.skipped] == ["Not a test."]


def test_folder_goes_with_the_test():
    made = made_case("test_nothing")
    folder = made.get_temp_dir()
    assert os.path.isdir(folder)
    assert made.get_temp_dir() == folder
    made.doCleanups()
    assert not os.path.exists(folder)


def test_error_in_a_thread_is_a_failure(case):
    thread = case.checkedThread(lambda x: 1 / x, args=(0,))
    thread.start()
    with pytest.raises(AssertionError, match="Error in checkedThread: division by zero"):
        thread.join()


def test_thread_must_be_joined():
    made = made_case("test_nothing")
    made.setUp()
    thread = made.checkedThread(lambda: None)
    thread.start()
    with pytest.raises(AssertionError, match=r"A checkedThread was not joined\."):
        made.tearDown()
    thread.join()
    tf.random.set_seed(None)


def test_what_is_written_to_a_stream_is_captured(case, capfd):
    with case.captureWritesToStream(sys.stderr) as written:
        print("hello", file=sys.stderr)
    assert written.contents() == "hello\n"
    assert capfd.readouterr().err == ""


def test_protocol_buffers_are_refused(case):
    with pytest.raises(NotImplementedError, match=r"google\.protobuf"):
        case.assertProtoEquals("", None)
    with pytest.raises(NotImplementedError, match="no graphs to compare"):
        case.assertProtoEqualsVersion(None, None)


def test_a_class_of_another_library_makes_arrays(case):
    assert case._GetNdArray(k([1, 2])).tolist() == [1, 2]
    assert case._GetNdArray([[1.0], [2.0]]).shape == (2, 1)
    assert case._GetNdArray(k(1.0, tf.bfloat16)).dtype == tf.bfloat16.as_numpy_dtype
