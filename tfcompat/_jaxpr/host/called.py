"""Kernels of functions that JAX calls by their names."""

from __future__ import annotations

from tfcompat._jaxpr.host.step import Maker, always
from tfcompat._jaxpr.swap import ORDER_AFTER_SWAPS, host_order_after_swaps

CALLED: dict[str, Maker] = {ORDER_AFTER_SWAPS: always(lambda offsets: [host_order_after_swaps(offsets)])}
