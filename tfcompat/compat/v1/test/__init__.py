"""`tf.compat.v1.test`: what of it still means something."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._testing.folder import get_temp_dir
from tfcompat.compat.v1.test import experimental
from tfcompat.test import (
    Benchmark,
    TestCase,
    disable_with_predicate,
    gpu_device_name,
    is_built_with_cuda,
    is_built_with_gpu_support,
    is_built_with_rocm,
    is_built_with_xla,
    is_cpu_target_available,
    is_gpu_available,
    main,
    with_eager_op_as_function,
)

__all__ = [
    "Benchmark",
    "TestCase",
    "disable_with_predicate",
    "experimental",
    "get_temp_dir",
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

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
