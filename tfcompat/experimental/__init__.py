"""`tf.experimental`: interfaces that may change."""

import sys as _sys
import typing as _typing

from tfcompat._core.types.dtype import (
    float4_e2m1fn,
    float8_e4m3b11fnuz,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    int2,
    int4,
    uint2,
    uint4,
)
from tfcompat._data.blocks.optional import Optional
from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.asynchronous import async_clear_error, async_scope, function_executor_type
from tfcompat._dropin.dispatch.api import dispatch_for_api
from tfcompat._dropin.dispatch.elementwise import (
    dispatch_for_binary_elementwise_apis,
    dispatch_for_binary_elementwise_assert_apis,
    dispatch_for_unary_elementwise_apis,
    unregister_dispatch_for,
)
from tfcompat._dropin.publication import publish as _publish
from tfcompat._extension.batchable import ExtensionTypeBatchEncoder
from tfcompat._extension.batching import BatchableExtensionType
from tfcompat._extension.extension_type import ExtensionType, ExtensionTypeSpec
from tfcompat._ops.ragged.row_partition import RowPartition
from tfcompat._ops.ragged.shape import DynamicRaggedShape
from tfcompat.experimental import dlpack, dtensor, numpy

__all__ = [
    "BatchableExtensionType",
    "DynamicRaggedShape",
    "ExtensionType",
    "ExtensionTypeBatchEncoder",
    "ExtensionTypeSpec",
    "Optional",
    "RowPartition",
    "async_clear_error",
    "async_scope",
    "dispatch_for_api",
    "dispatch_for_binary_elementwise_apis",
    "dispatch_for_binary_elementwise_assert_apis",
    "dispatch_for_unary_elementwise_apis",
    "dlpack",
    "dtensor",
    "float4_e2m1fn",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "function_executor_type",
    "int2",
    "int4",
    "numpy",
    "uint2",
    "uint4",
    "unregister_dispatch_for",
]

_publish(_sys.modules[__name__])

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
