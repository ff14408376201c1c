"""The lengths of inputs and outputs of convolutions, as in `tensorflow.python.layers.utils`."""

from __future__ import annotations


def conv_output_length(
    input_length: int | None, filter_size: int, padding: str, stride: int, dilation: int = 1
) -> int | None:
    """The length of the output of a convolution along an axis; None if `input_length` is None.

    Raises: AssertionError if `padding` is not one of "same", "valid", "full".
    Source: TF 2.21 `tensorflow.python.layers.utils.conv_output_length`.
    """
    if input_length is None:
        return None
    span = (filter_size - 1) * dilation
    return (input_length - _lost(padding, span) + stride - 1) // stride


def _lost(padding: str, span: int) -> int:
    """How many positions fewer there are than elements, for windows that reach `span` elements further."""
    lost = {"same": 0, "valid": span, "full": -span}.get(padding)
    if lost is None:
        raise AssertionError(f'conv_output_length: padding must be "same", "valid" or "full", got {padding!r}.')
    return lost
