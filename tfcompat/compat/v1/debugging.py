"""`tf.compat.v1.debugging`: supported names of this namespace of TensorFlow 1."""

import typing as _typing

from tfcompat import Assert
from tfcompat._dropin.absence import absence as _absence
from tfcompat._first_version.assertion import (
    assert_equal,
    assert_greater,
    assert_greater_equal,
    assert_integer,
    assert_less,
    assert_less_equal,
    assert_near,
    assert_negative,
    assert_non_negative,
    assert_non_positive,
    assert_none_equal,
    assert_positive,
    assert_rank,
    assert_rank_at_least,
    assert_rank_in,
    assert_scalar,
    assert_type,
)
from tfcompat.debugging import (
    assert_proper_iterable,
    assert_same_float_dtype,
    disable_traceback_filtering,
    enable_traceback_filtering,
    get_log_device_placement,
    is_numeric_tensor,
    is_traceback_filtering_enabled,
    set_log_device_placement,
)
from tfcompat.math import is_finite, is_inf, is_nan, is_non_decreasing, is_strictly_increasing

__all__ = [
    "Assert",
    "assert_equal",
    "assert_greater",
    "assert_greater_equal",
    "assert_integer",
    "assert_less",
    "assert_less_equal",
    "assert_near",
    "assert_negative",
    "assert_non_negative",
    "assert_non_positive",
    "assert_none_equal",
    "assert_positive",
    "assert_proper_iterable",
    "assert_rank",
    "assert_rank_at_least",
    "assert_rank_in",
    "assert_same_float_dtype",
    "assert_scalar",
    "assert_type",
    "disable_traceback_filtering",
    "enable_traceback_filtering",
    "get_log_device_placement",
    "is_finite",
    "is_inf",
    "is_nan",
    "is_non_decreasing",
    "is_numeric_tensor",
    "is_strictly_increasing",
    "is_traceback_filtering_enabled",
    "set_log_device_placement",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
