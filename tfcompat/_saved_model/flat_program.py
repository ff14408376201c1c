"""Functions of arrays without structure, and those that compute their gradients, as programs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from tfcompat._core import nest
from tfcompat._core.dtype import as_dtype
from tfcompat._core.spec import TensorSpec
from tfcompat._function.pure import PureFunction
from tfcompat._saved_model.program import Program, exported, known_shape

# As many derivatives of a function are saved.
ORDERS = 2
Run = Callable[..., list[Any]]
_logger = logging.getLogger("tensorflow")


class FlatProgram(NamedTuple):
    """A pure function of a list of arrays.

    Attributes:
      pure: the function.
      structs: those of the arrays: the values of variables, the arguments, and the integers that a call draws.
      outputs: the result, with a spec in place of each tensor.
      program: the program of the function.
      derivatives: the programs of its gradient, and of the gradient of that; fewer if these do not exist.
      has_gradient: whether derivatives are saved.
    """

    pure: PureFunction
    structs: list[Any]
    outputs: Any
    program: Program
    derivatives: list[Program]
    has_gradient: bool


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

    program, traced = exported(run, structs)
    if pure.has_effects:
        _logger.warning("%s is saved without its printing, its summaries and its assertions.", pure.__name__)
    results = len(program.outputs) - len(assigned)
    derivatives = derived(pure.__name__, traced, program, results) if has_gradient else []
    return FlatProgram(pure, structs, shown[0], program, derivatives, has_gradient)


def spec_of(array: Any) -> TensorSpec:
    return TensorSpec(known_shape(array), as_dtype(array.dtype))


def is_inexact(array: Any) -> bool:
    return jnp.issubdtype(array.dtype, jnp.inexact)


def derived(label: str, run: Run, program: Program, results: int) -> list[Program]:
    """The programs of derivatives of `run`, whose program is `program`: of its first `results`, each of those before.

    A warning names the function `label` if one of them does not exist.
    """
    found: list[Program] = []
    for order in range(ORDERS):
        pair = _gradients_of(run, program, results)
        if pair is None:
            break
        run, structs = pair
        try:
            program, run = exported(run, structs)
        except (NotImplementedError, jax.errors.InconclusiveDimensionOperation) as refused:
            which = "its gradient" if not order else "its second derivatives"
            _logger.warning("%s is saved without %s: %s", label, which, refused)
            break
        found.append(program)
        results = len(program.outputs)
    return found


def _gradients_of(run: Run, program: Program, results: int) -> tuple[Run, list[Any]] | None:
    """The function of the inputs and the gradients of results, which returns those of inputs; None without any.

    With it, the structs of its arguments.
    """
    structs = program.inputs
    wanted = [place for place, struct in enumerate(structs) if is_inexact(struct)]
    given = [place for place, result in enumerate(program.outputs[:results]) if is_inexact(result)]
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

    parts = [*structs, *[program.outputs[place] for place in given]]
    return gradients, [jax.ShapeDtypeStruct(part.shape, part.dtype) for part in parts]
