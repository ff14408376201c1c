"""Branches and bodies of loops that fail while they are traced, but in TensorFlow only if they run.

These do not fit the sizes of a call, in functions with open sizes, or have bad values that are known. TensorFlow traces
a function with open sizes once, and a branch that does not fit fails in the calls that take it. Here calls with sizes
of 0 or 1, for example, have traces of their own, in which code may refuse a size that is known: then the block is
replaced by one that fails if it runs. In functions of elements the host runs blocks that no program can run.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.operation.op import GradientRule, Op, ValueCheck
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import OpError, UntraceableError, is_found_at_run
from tfcompat._core.system.location import is_raised_by_handler, is_raised_by_user
from tfcompat._core.tracing.known_size import is_for_known_sizes
from tfcompat._core.tracing.trace import here, record
from tfcompat._core.types import nest
from tfcompat._function.block.block import Block, has_value
from tfcompat._function.graphs.refusal import refused_by_program
from tfcompat._ops.array.creation import zeros

# The errors of code that refuses a size.
REFUSALS = (OpError, TypeError, ValueError)


def may_be_untaken(refusal: Exception) -> bool:
    """Whether `refusal`, the error of a block while it is traced, matters only if the block runs."""
    error = refused_by_program(refusal)
    return (is_for_known_sizes() or is_found_at_run(error)) and not is_raised_by_user(error)


def fail_if(pred: Tensor, refusal: Exception) -> None:
    """Records a step that fails with the message of `refusal` if `pred` is true."""
    message = str(refused_by_program(refusal)).strip().splitlines()
    here.graph.effects.append(record(_failing(message[0] if message else type(refusal).__name__), (pred,)))


def failing_like(block: Block, refusal: Exception) -> Any:
    """A result like that of `block`, made by steps that fail. Raises `refusal` if it can't be made."""
    if not all(leaf is None or has_value(leaf) for leaf in block.leaves):
        raise refusal
    fail_if(convert_to_tensor(True), refusal)
    leaves = [leaf if leaf is None else zeros(leaf._aval.shape, leaf.dtype) for leaf in block.leaves]
    return nest.pack_sequence_as(block.result, leaves, expand_composites=True)


def or_by_host(by_program: Callable[[], Any], by_host: Callable[[], Any]) -> Any:
    """`by_program()`, or if no program can run its blocks, `by_host()`, in a function of elements.

    Raises: the error of `by_program` if the host cannot run them either.
    """
    try:
        return by_program()
    except (UntraceableError, jax.errors.InconclusiveDimensionOperation):
        return by_host()
    except REFUSALS as refusal:
        if is_raised_by_user(refused_by_program(refusal)):
            raise
        try:
            return by_host()
        except Exception as error:  # another error of the same block
            if is_raised_by_handler(error):
                raise
            raise refusal from None


@functools.lru_cache(maxsize=256)
def _failing(message: str) -> Op:
    check = ValueCheck(lambda pred: pred, message)
    return Op("block", lambda pred: pred, gradient=GradientRule(blocked=True), check=check)
