"""Kernels of recurrent layers of cuDNN."""

from __future__ import annotations

from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._ops.array.creation import zeros
from tfcompat._ops.sequence.cudnn_rnn import cudnn_rnn
from tfcompat._raw_ops.kernel import kernel
from tfcompat._testing.machine import is_built_with_cuda


def _cudnn_rnn(**given: Any) -> tuple[Any, ...]:
    """As `cudnn_rnn`, with two empty results that cuDNN reserves for its gradient.

    Without CUDA the gates of a GRU have TensorFlow's order for other devices.
    """
    if given["rnn_mode"] == "gru":
        given["input_c"] = convert_to_tensor(given["input_c"], convert_to_tensor(given["input"]).dtype)
    outputs, hidden, cell = cudnn_rnn(**given, resets_first=is_built_with_cuda())
    return outputs, hidden, cell, zeros([0]), zeros([0])


CudnnRNNV3 = kernel(
    "CudnnRNNV3",
    _cudnn_rnn,
    "input input_h input_c params sequence_lengths rnn_mode='lstm' input_mode:!='linear_input' "
    "direction:!='unidirectional' dropout:!=0 seed:=0 seed2:=0 num_proj:!=0 is_training:=True time_major=True",
    outputs="output output_h output_c reserve_space host_reserved",
)
