"""Rows for the private modules of TensorFlow that only TensorFlow Probability imports."""

from __future__ import annotations

_UNSUPPORTED = "tfcompat._keras.unsupported"

ROWS: tuple[tuple[str, str], ...] = (
    (
        "python.ops.linalg.linear_operator",
        "make_composite_tensor=tfcompat._keras.linear_operator:make_composite_tensor",
    ),
    ("python.ops.linalg.linear_operator_addition", f"add_operators={_UNSUPPORTED}:add_operators"),
    (
        "python.util.variable_utils",
        "convert_variables_to_tensors=tfcompat._keras.variable_conversion:convert_variables_to_tensors",
    ),
)
