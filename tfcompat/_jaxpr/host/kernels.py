"""The kernels of all primitives."""

from __future__ import annotations

from tfcompat._jaxpr.host.called import CALLED
from tfcompat._jaxpr.host.contraction import CONTRACTION
from tfcompat._jaxpr.host.control import CONTROL
from tfcompat._jaxpr.host.convolution import CONVOLUTION
from tfcompat._jaxpr.host.elementwise import ELEMENTWISE
from tfcompat._jaxpr.host.indexing import INDEXING
from tfcompat._jaxpr.host.layout import LAYOUT
from tfcompat._jaxpr.host.linear_algebra import LINEAR_ALGEBRA
from tfcompat._jaxpr.host.order import ORDER
from tfcompat._jaxpr.host.reduction import REDUCTION
from tfcompat._jaxpr.host.special import SPECIAL
from tfcompat._jaxpr.host.step import Maker
from tfcompat._jaxpr.host.window import WINDOW

KERNELS: dict[str, Maker] = {
    **ELEMENTWISE,
    **SPECIAL,
    **LAYOUT,
    **REDUCTION,
    **CONTRACTION,
    **CONVOLUTION,
    **INDEXING,
    **WINDOW,
    **ORDER,
    **LINEAR_ALGEBRA,
    **CONTROL,
    **CALLED,
}
# The kernels of these are the same for all sizes.
FOR_ALL_SIZES = (ELEMENTWISE.keys() - {"bitcast_convert_type"}) | frozenset(
    {
        *("concatenate", "optimization_barrier", "reduce_and", "reduce_max", "reduce_min", "reduce_or"),
        *("reduce_prod", "reduce_sum", "stack", "stop_gradient", "transpose", "unstack"),
    }
)
# Steps of these primitives on constants alone are run once.
FOLDED = ELEMENTWISE.keys() | LAYOUT.keys()
