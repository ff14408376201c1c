"""Programs of functions as StableHLO, in a form that TensorFlow 2.21 and JAX run on a CPU, a GPU or a TPU."""

from __future__ import annotations

import dataclasses
import json
import zlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import jaxpr_as_fun

from tfcompat._core.system.error import DataLossError
from tfcompat._core.types.shape import TensorShape
from tfcompat._jaxpr.jit import jitted
from tfcompat._jaxpr.postponement import postponed
from tfcompat._jaxpr.size import is_at_most, is_open, symbols_of

# No symbol is known to be larger.
_MOST_LEAST = 256
# TensorFlow Lite's converter takes the form for the first one, and that for CPUs has no plain convolutions of channels.
PLATFORMS = ("cuda", "cpu", "tpu")
# The version of StableHLO that TensorFlow 2.21 reads (1.13.7), and passes after which its own ones find all shapes:
# they do not look into the functions that JAX adds for parts such as `erf`.
_TARGET = "1.13.0"
_PASSES = ("builtin.module(func.func(stablehlo-legalize-composite-to-call))", "builtin.module(inline,symbol-dce)")

# The operands of slices: the number of the first one that is a place.
_PLACES = {"stablehlo.dynamic_slice": 1, "stablehlo.dynamic_update_slice": 2}
_NARROW = np.iinfo(np.int32).min, np.iinfo(np.int32).max


class Program(NamedTuple):
    """A function of arrays.

    Attributes:
      module: its StableHLO, serialized.
      version: the version of the calling convention of `jax.export`.
      inputs, outputs: the shapes and dtypes, with symbols for open sizes.
    """

    module: bytes
    version: int
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]

    def record(self) -> bytes:
        """The facts that `loaded` needs beside the module, after a checksum of both."""
        parts = (*self.inputs, *self.outputs)
        arrays = [[[_text(x) for x in part.shape], part.dtype.name] for part in parts]
        larger = _larger([size for part in parts for size in part.shape])
        facts = [len(self.inputs), arrays, *([larger] if larger else [])]
        known = json.dumps(facts, separators=(",", ":")).encode()
        return b"%d %b" % (zlib.crc32(known + self.module), known)


def _larger(sizes: Sequence[Any]) -> dict[str, int]:
    """The symbols in `sizes` that are at least 2, and their least values."""
    scope = next((size.scope for size in sizes if is_open(size)), None)
    return {name: least for name in sorted(symbols_of(sizes)) if (least := _least(name, scope)) > 1}


def _least(name: str, scope: Any) -> int:
    """The least value of the symbol `name` in `scope`."""
    (symbol,) = jax.export.symbolic_shape(name, scope=scope)
    least = 1
    while least < _MOST_LEAST and is_at_most(least + 1, symbol):
        least += 1
    return least


def _text(size: Any) -> Any:
    return str(size) if is_open(size) else size


def known_shape(array: Any) -> TensorShape:
    """The shape of an input or output, with None for open sizes."""
    return TensorShape([None if is_open(size) else size for size in array.shape])


def exported(function: Callable[..., Any], structs: Sequence[Any]) -> tuple[Program, Callable[..., list[Any]]]:
    """The program of `function`, which takes arrays like `structs` and returns a list of arrays.

    With it, the same function as JAX has traced it: its derivatives need not trace it again.

    Raises: NotImplementedError if JAX cannot export it.
    """
    compilable = jitted(function, keep_unused=True)
    try:
        with postponed():
            found = jax.export.export(compilable, platforms=PLATFORMS)(*structs)
            traced = jaxpr_as_fun(compilable.trace(*structs).jaxpr)
    except jax.errors.InconclusiveDimensionOperation:
        raise
    except TypeError as refused:
        raise NotImplementedError(f"it does not compute for every open size of its signature: {refused}") from refused
    except (NotImplementedError, ValueError) as refused:
        raise NotImplementedError(f"jax.export cannot export it for {', '.join(PLATFORMS)}: {refused}") from refused
    module = _readable(found.mlir_module_serialized)
    return Program(module, found.calling_convention_version, found.in_avals, found.out_avals), traced


def _readable(module: bytes) -> bytes:
    """`module` in the version that TensorFlow reads."""
    with postponed():  # imported here because only programs that save models need it
        from jax.extend import mlir
        from jax.extend.mlir import ir, passmanager
        from jax.extend.mlir.dialects import stablehlo

    stablehlo.register_stablehlo_passes()
    with ir.Context() as context:
        parsed = mlir.deserialize_portable_artifact(module, context)
        for each in _PASSES:
            passmanager.PassManager.parse(each).run(parsed.operation)
        _narrow_places(ir, stablehlo, parsed)
        return mlir.serialize_portable_artifact(parsed, _TARGET)


def _narrow_places(ir: Any, stablehlo: Any, module: Any) -> None:
    """Makes the places of slices 32-bit integers, in the `module` of MLIR.

    TensorFlow Lite takes the places and the sizes of a slice for integers of one width, and its converter writes the
    sizes with 32 bits. Places outside of these are outside of any array, whose last slice is taken in either case.
    """

    def narrow(place: Any) -> Any:
        bounds = [stablehlo.constant(ir.DenseElementsAttr.get(np.array(bound, np.int64))) for bound in _NARROW]
        return stablehlo.convert(
            ir.RankedTensorType.get([], ir.IntegerType.get_signless(32)), stablehlo.clamp(bounds[0], place, bounds[1])
        )

    def visit(each: Any) -> Any:
        first = _PLACES.get(each.name)
        if first is not None:
            with ir.InsertionPoint(each), each.location:
                for number, place in enumerate(each.operands):
                    if number >= first and str(place.type) == "tensor<i64>":
                        each.operands[number] = narrow(place)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)


def loaded(module: bytes, record: bytes, version: int, platforms: Sequence[str]) -> Callable[..., Any]:
    """The function of arrays that was saved as `module` and `record`.

    Raises: DataLossError if they are corrupted; NotImplementedError for another version of the calling convention.
    """
    checksum, _, known = record.partition(b" ")
    if not checksum.isdigit() or int(checksum) != zlib.crc32(known + module):
        raise DataLossError.of("a SavedModel is corrupted: a program does not have its checksum")
    versions = range(
        jax.export.minimum_supported_calling_convention_version,
        jax.export.maximum_supported_calling_convention_version + 1,
    )
    if version not in versions or not set(platforms) <= set(PLATFORMS):
        raise NotImplementedError(
            f"tf.saved_model.load: a program has version {version} of JAX's calling convention for {platforms}; this "
            f"version of JAX runs {versions[0]} to {versions[-1]} for {PLATFORMS}."
        )
    count, arrays, *rest = json.loads(known)
    scope = jax.export.SymbolicScope([f"{name} >= {least}" for larger in rest for name, least in larger.items()])
    structs = [
        jax.ShapeDtypeStruct(jax.export.symbolic_shape(",".join(map(str, shape)), scope=scope), jnp.dtype(dtype))
        for shape, dtype in arrays
    ]
    inputs, outputs = structs[:count], structs[count:]
    # `jax.export` documents no way to make an `Exported` of a module, so that of another function is taken.
    alike = jitted(lambda *_: [jnp.zeros(each.shape, each.dtype) for each in outputs], keep_unused=True)
    with postponed(), jax.enable_x64(True):
        template = jax.export.export(alike, platforms=platforms)(*inputs)
    call = dataclasses.replace(template, mlir_module_serialized=module, calling_convention_version=version).call
    # JAX has no batching rule for such a call: rows are computed one after another.
    return jax.custom_batching.sequential_vmap(call)
