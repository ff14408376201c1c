"""Kernels that run inner jaxprs: loops and branches. Calls are inlined before."""

from __future__ import annotations

import numpy as np

from tfcompat._jaxpr.host.step import SCANNED, Array, Kernel, Maker, Step
from tfcompat._jaxpr.parameter import without_consts


def _scan(step: Step) -> Kernel:
    params = step.params
    body, length = step.prepare(params["jaxpr"]), params["length"]
    constant, carried, _ = params[SCANNED]
    order = range(length - 1, -1, -1) if params["reverse"] else range(length)
    stacked = step.outputs[carried:]

    def kernel(*inputs: Array) -> list[Array]:
        fixed, carry = inputs[:constant], inputs[constant : constant + carried]
        rows = inputs[constant + carried :]
        columns = [np.empty(shape, dtype) for shape, dtype in stacked]
        for k in order:
            found = body([*fixed, *carry, *[row[k] for row in rows]])
            carry = found[:carried]
            for column, value in zip(columns, found[carried:], strict=True):
                column[k] = value
        return [*carry, *columns]

    return kernel


# The estimated nanoseconds after which a loop is given up that runs until a condition fails.
_PATIENCE = 100e6


class TooLong(Exception):
    """A loop has run for so long that compiling it is the better choice."""


def _while(step: Step) -> Kernel:
    """Runs the body while the condition holds; of a batch of loops, each until its own condition fails.

    The kernel raises TooLong if there are too many iterations.
    """
    params = step.params
    condition, body = step.prepare(params["cond_jaxpr"]), step.prepare(params["body_jaxpr"])
    first, second = params["cond_nconsts"], params["body_nconsts"]
    most = int(_PATIENCE / (condition.work + body.work)) + 1
    rank = len(without_consts(params["cond_jaxpr"])[0].outvars[0].aval.shape)

    def kernel(*inputs: Array) -> list[Array]:
        asked, fixed, carry = inputs[:first], inputs[first : first + second], list(inputs[first + second :])
        for _ in range(most):
            if not condition([*asked, *carry])[0]:
                return carry
            carry = body([*fixed, *carry])
        raise TooLong

    def batched(*inputs: Array) -> list[Array]:
        asked, fixed, carry = inputs[:first], inputs[first : first + second], list(inputs[first + second :])
        for _ in range(most):
            goes_on = condition([*asked, *carry])[0]
            if not goes_on.any():
                return carry
            found = body([*fixed, *carry])
            carry = [
                np.where(goes_on.reshape(*goes_on.shape, *(1,) * (np.ndim(new) - rank)), new, old)
                for new, old in zip(found, carry, strict=True)
            ]
        raise TooLong

    return batched if rank else kernel


def _cond(step: Step) -> Kernel:
    branches = [step.prepare(branch) for branch in step.params["branches"]]
    last = len(branches) - 1

    def kernel(which: Array, *inputs: Array) -> list[Array]:
        return branches[min(max(int(which), 0), last)](inputs)

    return kernel


def _platform(step: Step) -> Kernel:
    """The branch for the CPU: the first whose platforms name it, or else the one for all others."""
    platforms = step.params["platforms"]
    default = next((k for k, names in enumerate(platforms) if names is None), 0)
    index = np.array(next((k for k, names in enumerate(platforms) if names and "cpu" in names), default), np.int32)
    return lambda: index


def _solve(step: Step) -> Kernel:
    """Runs the solver that the equation holds: its own constants lie behind those of the products."""
    lengths, jaxprs = step.params["const_lengths"], step.params["jaxprs"]
    solve = step.prepare(jaxprs.solve)
    begin = lengths.matvec + lengths.vecmat
    end = begin + lengths.solve
    total = sum(lengths)

    def kernel(*inputs: Array) -> list[Array]:
        return solve([*inputs[begin:end], *inputs[total:]])

    return kernel


CONTROL: dict[str, Maker] = {
    "cond": _cond,
    "custom_linear_solve": _solve,
    "platform_index": _platform,
    "scan": _scan,
    "while": _while,
}
