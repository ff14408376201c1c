"""Side effects of summaries in functions: at each call of a `tf.function`, and for each element of a dataset."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from tfcompat._core.calls.by_row import element_trace
from tfcompat._core.calls.host_call import latest_effect, sources
from tfcompat._core.operation.op import GradientRule, Op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.callback import call_python
from tfcompat._core.tracing.trace import here, record

_DONE = [np.zeros((), np.int32)]


def is_deferred() -> bool:
    """Whether the code is traced, and its effects happen later."""
    return here.graph is not None


def at_call(name: str, act: Callable[..., None], tensors: Sequence[Tensor]) -> None:
    """Lets `act(*values)` be called with the values of `tensors` whenever the code that is being traced runs.

    Effects keep their order.
    """
    trace = element_trace()
    if trace is not None:

        def act_on_element(sizes: Mapping[str, int], *arrays: np.ndarray) -> list[np.ndarray]:
            del sizes
            act(*arrays)
            return []

        trace.hosted(name, act_on_element, tensors, [], has_effects=True)
        return
    read, values = sources(tensors)

    def act_in_order(order: Any, *arrays: Any) -> list[np.ndarray]:
        del order
        act(*values(*arrays))
        return _DONE

    def acted(order: Any, *arrays: Any) -> Any:
        return call_python(act_in_order, [jax.ShapeDtypeStruct((), np.int32)], order, *arrays, has_effect=True)[0]

    here.graph.effects.append(record(Op(name, acted, gradient=GradientRule(blocked=True)), (latest_effect(), *read)))
