"""Parsing of records with the arguments of TensorFlow 1."""

from __future__ import annotations

from typing import Any

from tfcompat._core.structure.tensor import Tensor
from tfcompat._data.format import example_op
from tfcompat._first_version.argument import either
from tfcompat._ops.text import csv_record, raw


def parse_example(serialized: Any, features: Any, name: str | None = None, example_names: Any = None) -> dict[Any, Any]:
    """`tf.io.parse_example` with its last arguments in the other order.

    Source: TF 2.21 `tf.compat.v1.io.parse_example`.
    """
    return example_op.parse_example(serialized, features, example_names, name)


def parse_single_example(
    serialized: Any, features: Any, name: str | None = None, example_names: Any = None
) -> dict[Any, Any]:
    """`tf.io.parse_single_example` with its last arguments in the other order.

    Source: TF 2.21 `tf.compat.v1.io.parse_single_example`.
    """
    return example_op.parse_single_example(serialized, features, example_names, name)


def decode_csv(
    records: Any,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    name: str | None = None,
    na_value: str = "",
    select_cols: Any = None,
) -> list[Tensor]:
    """`tf.io.decode_csv` with its last arguments in another order.

    Source: TF 2.21 `tf.compat.v1.io.decode_csv`.
    """
    return csv_record.decode_csv(records, record_defaults, field_delim, use_quote_delim, na_value, select_cols, name)


def decode_raw(
    input_bytes: Any = None,
    out_type: Any = None,
    little_endian: bool = True,
    name: str | None = None,
    bytes: Any = None,
) -> Tensor:
    """`tf.io.decode_raw` of strings of one length; `input_bytes` may be called `bytes`.

    Raises: ValueError without out_type; the errors of `tf.io.decode_raw`.
    Source: TF 2.21 `tf.compat.v1.io.decode_raw`.
    """
    strings = either("input_bytes", input_bytes, "bytes", bytes)
    if out_type is None:
        raise ValueError("decode_raw_v1() missing 1 positional argument: 'out_type'")
    return raw.decode_raw(strings, out_type, little_endian, None, name)
