"""AutoGraph: Python control flow on tensors becomes part of the function that is being traced."""

from tfcompat._function.autograph.call import converted_within
from tfcompat._function.autograph.conversion import (
    converted,
    do_not_convert,
    set_verbosity,
    to_code,
    to_graph,
    trace,
)
from tfcompat._function.autograph.library import Feature, set_loop_options

__all__ = [
    "Feature",
    "converted",
    "converted_within",
    "do_not_convert",
    "set_loop_options",
    "set_verbosity",
    "to_code",
    "to_graph",
    "trace",
]
