"""Functions of arrays without structure, and those that compute their gradients, as programs."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.types import nest
from tfcompat._core.types.dtype import as_dtype
from tfcompat._function.functions.pure import PureFunction
from tfcompat._saved_model.programs.program import Program, exported, known_shape

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
    derivatives = derived(pure.__name__, (traced, run), program, results) if has_gradient else []
    return FlatProgram(pure, structs, shown[0], program, derivatives, has_gradient)


def spec_of(array: Any) -> TensorSpec:
    return TensorSpec(known_shape(array), as_dtype(array.dtype))


def is_inexact(array: Any) -> bool:
    return jnp.issubdtype(array.dtype, jnp.inexact)


def derived(label: str, runs: Sequence[Run], program: Program, results: int) -> list[Program]:
    """The programs of derivatives of a function whose program is `program`.

    The first one is that of the gradient of its first `results`, and each is the gradient of the one before. `runs` are
    forms of the function, the best one first. A warning names it `label` if a derivative does not exist.
    """
    found: list[Program] = []
    for order in range(ORDERS):
        try:
            pair = _gradient(runs, program, results)
        except (NotImplementedError, jax.errors.InconclusiveDimensionOperation) as refused:
            which = "its gradient" if not order else "its second derivatives"
            _logger.warning("%s is saved without %s: %s", label, which, refused)
            break
        if pair is None:
            break
        runs, program = pair
        found.append(program)
        results = len(program.outputs)
    return found


def _gradient(runs: Sequence[Run], program: Program, results: int) -> tuple[Sequence[Run], Program] | None:
    """Two forms of the gradient of a function with the forms `runs`, and its program; None without any.

    JAX cannot differentiate a function that it has traced if the rule of a custom derivative in it closes over values
    that are computed from the arguments: a rule of the user's, or that of a loss over its labels.

    Raises: that of the last of `runs` if none can be differentiated.
    """
    *better, last = runs
    for run in better:
        with contextlib.suppress(NotImplementedError):
            return _gradient([run], program, results)
    gradients, structs = _gradients_of(last, program, results)
    if not structs:
        return None
    new, traced = exported(gradients, structs)
    return (traced, gradients), new


def _gradients_of(run: Run, program: Program, results: int) -> tuple[Run, list[Any]]:
    """The function of the inputs and the gradients of results, which returns those of inputs.

    With it, the structs of its arguments; none if there are no gradients.
    """
    structs = program.inputs
    wanted = [place for place, struct in enumerate(structs) if is_inexact(struct)]
    given = [place for place, result in enumerate(program.outputs[:results]) if is_inexact(result)]

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

    parts = [*structs, *[program.outputs[place] for place in given]] if wanted and given else []
    return gradients, [jax.ShapeDtypeStruct(part.shape, part.dtype) for part in parts]
