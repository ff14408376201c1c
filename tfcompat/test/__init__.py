"""`tf.test`: test cases, gradient checks, benchmarks, and properties of the machine."""

import sys as _sys
import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.publication import publish as _publish
from tfcompat._testing.benchmark import Benchmark, disable_with_predicate, main, with_eager_op_as_function
from tfcompat._testing.case import TestCase
from tfcompat._testing.gradient_check import compute_gradient
from tfcompat._testing.machine import (
    gpu_device_name,
    is_built_with_cuda,
    is_built_with_gpu_support,
    is_built_with_rocm,
    is_built_with_xla,
    is_cpu_target_available,
    is_gpu_available,
)
from tfcompat.test import experimental

__all__ = [
    "Benchmark",
    "TestCase",
    "compute_gradient",
    "disable_with_predicate",
    "experimental",
    "gpu_device_name",
    "is_built_with_cuda",
    "is_built_with_gpu_support",
    "is_built_with_rocm",
    "is_built_with_xla",
    "is_cpu_target_available",
    "is_gpu_available",
    "main",
    "with_eager_op_as_function",
]

_publish(_sys.modules[__name__])

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
