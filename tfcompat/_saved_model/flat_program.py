"""Functions of arrays without structure, and those that compute their gradients, as programs."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from tfcompat._core import nest
from tfcompat._core.dtype import as_dtype
from tfcompat._core.spec import TensorSpec
from tfcompat._function.pure import PureFunction
from tfcompat._saved_model.program import Program, exported, known_shape

_logger = logging.getLogger("tensorflow")


class FlatProgram(NamedTuple):
    """A pure function of a list of arrays.

    Attributes:
      pure: the function.
      structs: those of the arrays: the values of variables, the arguments, and the integers that a call draws.
      outputs: the result, with a spec in place of each tensor.
      program, backward: the programs of the function and of its gradient.
    """

    pure: PureFunction
    structs: list[Any]
    outputs: Any
    program: Program
    backward: Program | None


def flat_program(pure: PureFunction, *, has_gradient: bool) -> FlatProgram:
    values, args, kwargs, drawn = pure.structs
    leaves = nest.flatten((args, kwargs))
    places = [place for place, leaf in enumerate(leaves) if leaf is not None]
    structs = [*values, *[leaves[place] for place in places], *drawn]
    count, end, assigned = len(values), len(values) + len(places), pure.assigned
    shown: list[Any] = []

    def run(*arrays: Any) -> list[Any]:
        given: list[Any] = [None] * len(leaves)
        for place, array in zip(places, arrays[count:end], strict=True):
            given[place] = array
        packed_args, packed_kwargs = nest.pack_sequence_as((args, kwargs), given)
        result, new = pure.evaluate(arrays[:count], packed_args, packed_kwargs, arrays[end:])
        flat = nest.flatten(result)
        shown[:] = [nest.pack_sequence_as(result, [None if leaf is None else spec_of(leaf) for leaf in flat])]
        return [*[jnp.asarray(leaf) for leaf in flat if leaf is not None], *[new[place] for place in assigned]]

    program = exported(run, structs)
    if pure.has_effects:
        _logger.warning("%s is saved without its printing, its summaries and its assertions.", pure.__name__)
    backward = None
    if has_gradient:
        try:
            backward = _backward(run, structs, program, len(assigned))
        except NotImplementedError as refused:
            _logger.warning("%s is saved without its gradient: %s", pure.__name__, refused)
    return FlatProgram(pure, structs, shown[0], program, backward)


def spec_of(array: Any) -> TensorSpec:
    return TensorSpec(known_shape(array), as_dtype(array.dtype))


def is_inexact(array: Any) -> bool:
    return jnp.issubdtype(array.dtype, jnp.inexact)


def _backward(run: Any, structs: Sequence[Any], program: Program, assigned: int) -> Program | None:
    """The program from the arrays and the gradients of the results to the gradients of the arrays; None without any."""
    results = program.outputs[: len(program.outputs) - assigned]
    wanted = [place for place, struct in enumerate(structs) if is_inexact(struct)]
    given = [place for place, result in enumerate(results) if is_inexact(result)]
    if not wanted or not given:
        return None

    def gradients(*arrays: Any) -> list[Any]:
        inputs, upstream = list(arrays[: len(structs)]), arrays[len(structs) :]

        def differentiated(*moving: Any) -> list[Any]:
            for place, value in zip(wanted, moving, strict=True):
                inputs[place] = value
            found = run(*inputs)
            return [found[place] for place in given]

        _, pull = jax.vjp(differentiated, *[inputs[place] for place in wanted])
        # JAX's cotangents of complex numbers are the conjugates of TensorFlow's.
        return [jnp.conj(gradient) for gradient in pull([jnp.conj(each) for each in upstream])]

    cotangents = [jax.ShapeDtypeStruct(results[place].shape, results[place].dtype) for place in given]
    return exported(gradients, [*structs, *cotangents])
