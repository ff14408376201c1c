"""`tf.test.TestCase`: unittest's, or absl's where it is installed, with assertions about tensors."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import random
import re
import shutil
import tempfile
import unittest
from collections.abc import Callable, Generator
from typing import Any, NoReturn

import numpy as np

from tfcompat._core.calls.convert import is_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.device_spec import DeviceSpec
from tfcompat._core.system.error import InvalidArgumentError, OpError
from tfcompat._core.types.dtype import as_dtype
from tfcompat._core.types.nest import map_structure
from tfcompat._dropin.placement import device
from tfcompat._random.seed import set_seed
from tfcompat._testing.agreement import array_of, distance, inequality, ndarray_of
from tfcompat._testing.session import EagerSessionWarner, FakeEagerSession
from tfcompat._testing.thread import CapturedWrites, CheckedThread, captured
from tfcompat._testing.value import evaluated

_SEED = 87654321
_SHAPES = r"Incompatible shapes|Dimensions must be equal|required broadcastable shapes|must broadcast"


def _parent() -> Any:
    if importlib.util.find_spec("absl") is None:
        return unittest.TestCase
    return importlib.import_module("absl.testing.absltest").TestCase


_Parent: Any = _parent()


class TestCase(_Parent):
    """A test case whose assertions take tensors, variables, arrays, and structures of them.

    Each test starts from the same seeds. Source: TF 2.21 `tf.test.TestCase`.
    """

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)
        self._threads: list[CheckedThread] = []
        self._folder: str | None = None

    def setUp(self) -> None:
        """Sets the seeds of `tf`, NumPy and Python."""
        super().setUp()
        # The method `test_session` is not a test, though its name begins like one.
        if self._testMethodName == "test_session":
            self.skipTest("Not a test.")
        random.seed(_SEED)
        np.random.seed(_SEED)
        set_seed(_SEED)

    def tearDown(self) -> None:
        """Fails if a thread of `checkedThread` was not joined."""
        if not all(thread.is_joined for thread in self._threads):
            self.fail("A checkedThread was not joined.")
        self._threads.clear()
        super().tearDown()

    def evaluate(self, tensors: Any) -> Any:
        """The values of `tensors`, a structure, or a function that gives one. Raises ValueError for other leaves."""
        return map_structure(evaluated, tensors() if callable(tensors) else tensors)

    def evaluate_if_both_tensors(self, a: Any, b: Any) -> tuple[Any, Any]:
        """`a` and `b` unchanged, since all tensors have values."""
        return a, b

    def get_temp_dir(self) -> str:
        """A temporary folder of this test, which is deleted after it."""
        if self._folder is None:
            self._folder = tempfile.mkdtemp()
            self.addCleanup(shutil.rmtree, self._folder, ignore_errors=True)
        return self._folder

    @contextlib.contextmanager
    def session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Generator[Any]:
        """A context without a session: any use of the value that it yields raises an error."""
        del graph, config, use_gpu
        with _placed(force_gpu):
            yield EagerSessionWarner()

    @contextlib.contextmanager
    def cached_session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Generator[Any]:
        """A context that yields an object whose `run` evaluates tensors."""
        del graph, config, use_gpu
        with _placed(force_gpu):
            yield FakeEagerSession(self.evaluate)

    @contextlib.contextmanager
    def test_session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Generator[None]:
        """A context that yields None."""
        del graph, config, use_gpu
        with _placed(force_gpu):
            yield

    def checkedThread(
        self, target: Callable[..., Any], args: tuple[Any, ...] | None = None, kwargs: dict[str, Any] | None = None
    ) -> CheckedThread:
        """A thread that runs `target`; joining it fails if `target` raised. It must be joined."""
        thread = CheckedThread(target, args, kwargs)
        self._threads.append(thread)
        return thread

    def captureWritesToStream(self, stream: Any) -> contextlib.AbstractContextManager[CapturedWrites]:
        """A context that captures and yields the output to `stream`."""
        return captured(stream)

    def assertAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None) -> None:
        """Asserts that `a` and `b`, or their members, have the same shape and are close; nan is close to itself."""
        self._require(distance(a, b, rtol, atol), msg)

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """The same as `assertAllClose`, with the largest tolerances for the dtypes of `a` and `b`."""
        by_name = {
            "float32": (float_rtol, float_atol),
            "complex64": (float_rtol, float_atol),
            "float16": (half_rtol, half_atol),
            "bfloat16": (bfloat16_rtol, bfloat16_atol),
        }
        for value in (a, b):
            name = value.dtype.name if hasattr(value, "dtype") else np.asarray(value).dtype.name
            relative, absolute = by_name.get(name, (rtol, atol))
            rtol, atol = max(rtol, relative), max(atol, absolute)
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertNotAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None) -> None:
        """Asserts that `a` and `b` are not close, or have different shapes."""
        if distance(a, b, rtol, atol) is None:
            self.fail(msg or f"The two values are close at all elements: {a}")

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Asserts that `a` and `b` have the same shape and are equal; nan is equal to itself."""
        self._require(inequality(a, b), msg)

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Asserts that `a` and `b` are not equal, or have different shapes."""
        if inequality(a, b) is None:
            self.fail(msg or f"The two values are equal at all elements: {a}")

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """Asserts that each element of `a` is greater."""
        self._compare(a, comparison_target, ">", np.greater)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """Asserts that each element of `a` is greater or equal."""
        self._compare(a, comparison_target, ">=", np.greater_equal)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """Asserts that each element of `a` is less."""
        self._compare(a, comparison_target, "<", np.less)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """Asserts that each element of `a` is less or equal."""
        self._compare(a, comparison_target, "<=", np.less_equal)

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Asserts that each element of `target` is in the range, which excludes open bounds."""
        array = array_of(target)
        if array.dtype.kind not in "iuf":
            self.fail(f"The value of {target} does not have an ordered numeric type, instead it has: {array.dtype}")
        above = array > lower_bound if open_lower_bound else array >= lower_bound
        below = array < upper_bound if open_upper_bound else array <= upper_bound
        if not (above & below).all():
            self.fail(f"Not in the range from {lower_bound} to {upper_bound}: {array[~(above & below)].tolist()}")

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """Asserts that each element of `target` is in `expected_set`."""
        outside = set(array_of(target).ravel().tolist()) - set(expected_set)
        if outside:
            self.fail(f"Not in {expected_set}: {outside}")

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """Asserts that `target` has the dtype `expected_dtype`."""
        found = as_dtype(target.dtype if hasattr(target, "dtype") else np.asarray(target).dtype)
        self._require_same(found, as_dtype(expected_dtype), None)

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: str | None = None) -> None:
        """Asserts that two arrays or tensors have the same shape. Raises TypeError for other values."""
        for value in (input_a, input_b):
            if not isinstance(value, (np.ndarray, Tensor)) and not is_tensor(value):
                raise TypeError(f"tf.test: expected an array or a tensor, got {type(value)}.")
        self._require_same(tuple(input_a.shape), tuple(input_b.shape), msg)

    def assertNear(self, f1: float, f2: float, err: float, msg: str | None = None) -> None:
        """Asserts that `f1` and `f2` differ by at most `err`."""
        is_near = f1 == f2 or abs(f1 - f2) <= err
        self._require(None if is_near else f"{f1!r} != {f2!r} +/- {err!r}", msg)

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: str | None = None) -> None:
        """Asserts that the elements of two sequences of the same length differ by at most `err`."""
        self._require_same(len(farray1), len(farray2), msg)
        for one, other in zip(farray1, farray2, strict=True):
            self.assertNear(float(one), float(other), err, msg)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float, msg: str | None = None) -> None:
        """Asserts that the norm of the difference of `ndarray1` and `ndarray2` is below `err`."""
        norm = float(np.linalg.norm(array_of(ndarray1) - array_of(ndarray2)))
        self._require(None if norm < err else f"the norm of the difference is {norm}, not below {err}", msg)

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: str | None = None) -> None:
        """Asserts that `device1` and `device2` name the same device."""
        one, other = (DeviceSpec.from_string(str(name or "")).to_string() for name in (device1, device2))
        self._require_same(one, other, msg)

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(self, exception_type: Any, expected_err_re_or_predicate: Any) -> Generator[None]:
        """A context that must raise an `exception_type` whose text matches, or for which the predicate holds."""
        predicate = expected_err_re_or_predicate
        try:
            yield
            self.fail(f"{exception_type.__name__} not raised")
        except Exception as error:
            text = error.message if isinstance(error, OpError) else str(error)
            fits = predicate(error) if callable(predicate) else re.search(predicate, text)
            if not isinstance(error, exception_type) or not fits:
                raise AssertionError(f"Exception of type {type(error)}: {error}") from error

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> contextlib.AbstractContextManager[None]:
        """A context that must raise a `tf.errors.OpError` whose text matches, or for which the predicate holds."""
        return self.assertRaisesWithPredicateMatch(OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(
        self, exception_type: Any = InvalidArgumentError
    ) -> contextlib.AbstractContextManager[None]:
        """A context that must raise an `exception_type` for incompatible shapes."""
        return self.assertRaisesWithPredicateMatch(exception_type, _SHAPES)

    def assertProtoEquals(
        self,
        expected_message_maybe_ascii: Any,
        validate_message: Any,
        msg: str | None = None,
        relative_tolerance: float | None = None,
    ) -> NoReturn:
        """Raises NotImplementedError: tfcompat has no protocol buffers."""
        del expected_message_maybe_ascii, validate_message, msg, relative_tolerance
        raise NotImplementedError("tf.test.TestCase.assertProtoEquals: compare messages with google.protobuf.")

    def assertProtoEqualsVersion(
        self, expected: Any, actual: Any, producer: int = 2474, min_consumer: int = 0, msg: str | None = None
    ) -> NoReturn:
        """Raises NotImplementedError: tfcompat has no graphs."""
        del expected, actual, producer, min_consumer, msg
        raise NotImplementedError("tf.test.TestCase.assertProtoEqualsVersion: tfcompat has no graphs to compare.")

    def _GetNdArray(self, a: Any) -> np.ndarray:
        """`a` as an array: test cases of other libraries that extend this class call it and override it."""
        return ndarray_of(a)

    def _require(self, problem: str | None, msg: str | None) -> None:
        if problem is not None:
            self.fail(f"{msg} : {problem}" if msg else problem)

    def _require_same(self, a: Any, b: Any, msg: str | None) -> None:
        self._require(None if a == b else f"{a!r} != {b!r}", msg)

    def _compare(self, a: Any, target: Any, sign: str, holds: Callable[..., Any]) -> None:
        left, right = array_of(a), array_of(target)
        bad = ~np.asarray(holds(left, right))
        if bad.any():
            self.fail(f"Not {sign} {right.tolist()}: {np.broadcast_to(left, bad.shape)[bad].tolist()}")


def _placed(force_gpu: bool) -> contextlib.AbstractContextManager[Any]:
    return device("/device:GPU:0") if force_gpu else contextlib.nullcontext()
