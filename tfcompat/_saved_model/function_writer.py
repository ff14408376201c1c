"""Functions as nodes of a graph: reads of variables, a program, assignments, and a function for the gradient."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from tfcompat._core import nest
from tfcompat._core.dtype import DType, as_dtype, resource
from tfcompat._core.spec import TensorSpec
from tfcompat._function.pure import PureFunction
from tfcompat._saved_model.attribute import attribute
from tfcompat._saved_model.message import messages
from tfcompat._saved_model.program import PLATFORMS, Program, exported, known_shape
from tfcompat._saved_model.program_kernel import RECORD
from tfcompat._state.variable import Variable

_SHARDY_SINCE = 10


class Written(NamedTuple):
    """A function as messages.

    Attributes:
      name: its name in the library.
      message: the `FunctionDef`.
      keywords: the names of its tensors.
      inputs: the structured signature; `outputs`: the structured result.
      variables: those that it takes after its arguments.
      gradient: the function that computes its gradient; None if it has none.
    """

    name: str
    message: Any
    keywords: list[str]
    inputs: Any
    outputs: Any
    variables: Sequence[Variable]
    gradient: WrittenGradient | None


class WrittenGradient(NamedTuple):
    """The function that computes the gradient of another.

    Attributes:
      name, message: as of `Written`.
      op_type: the name under which nodes refer to it.
      captured: the names of the tensors of the other function that it takes after the gradients of the outputs.
      inputs: their specs, with those of the outputs before; `outputs`: None or a spec for each tensor.
    """

    name: str
    message: Any
    op_type: str
    captured: list[str]
    inputs: list[TensorSpec]
    outputs: list[TensorSpec | None]


class _Flat(NamedTuple):
    """A pure function of a list of arrays.

    Attributes:
      pure: the function.
      structs: those of the arrays: first the values of variables.
      outputs: the result, with a spec in place of each tensor.
      program, backward: the programs of the function and of its gradient.
    """

    pure: PureFunction
    structs: list[Any]
    outputs: Any
    program: Program
    backward: Program | None


def written(concrete: Any, number: int, *, has_gradient: bool) -> Written:
    """The function `concrete` as messages; `number` makes its name unique.

    Raises: NotImplementedError if it cannot be expressed as a program.
    """
    base = re.sub(r"[^A-Za-z0-9_.]", "_", concrete.name)
    source = concrete.traced() if hasattr(concrete, "traced") else concrete
    flat = source.with_pure(lambda pure: _exported(pure, has_gradient=has_gradient), 1 if has_gradient else 0)
    writer = _Writer(f"__inference_{base}_{number}", flat, concrete)
    return writer.written()


def _exported(pure: PureFunction, *, has_gradient: bool) -> _Flat:
    values, args, kwargs, _ = pure.structs
    leaves = nest.flatten((args, kwargs))
    places = [place for place, leaf in enumerate(leaves) if leaf is not None]
    structs = [*values, *[leaves[place] for place in places]]
    count, assigned = len(values), pure.assigned
    shown: list[Any] = []

    def run(*arrays: Any) -> list[Any]:
        given: list[Any] = [None] * len(leaves)
        for place, array in zip(places, arrays[count:], strict=True):
            given[place] = array
        packed_args, packed_kwargs = nest.pack_sequence_as((args, kwargs), given)
        result, new = pure(arrays[:count], *packed_args, **packed_kwargs)
        flat = nest.flatten(result)
        shown[:] = [nest.pack_sequence_as(result, [None if leaf is None else _spec(leaf) for leaf in flat])]
        return [*[jnp.asarray(leaf) for leaf in flat if leaf is not None], *[new[place] for place in assigned]]

    program = exported(run, structs)
    backward = None
    if has_gradient:
        try:
            backward = _backward(run, structs, program, len(assigned))
        except NotImplementedError as refused:
            logging.getLogger("tensorflow").warning("%s is saved without its gradient: %s", pure.__name__, refused)
    return _Flat(pure, structs, shown[0], program, backward)


def _spec(array: Any) -> TensorSpec:
    return TensorSpec(known_shape(array), as_dtype(array.dtype))


def _is_inexact(array: Any) -> bool:
    return jnp.issubdtype(array.dtype, jnp.inexact)


def _backward(run: Any, structs: Sequence[Any], program: Program, assigned: int) -> Program | None:
    """The program from the arrays and the gradients of the results to the gradients of the arrays; None without any."""
    results = program.outputs[: len(program.outputs) - assigned]
    wanted = [place for place, struct in enumerate(structs) if _is_inexact(struct)]
    given = [place for place, result in enumerate(results) if _is_inexact(result)]
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


def node(name: str, op: str, inputs: Sequence[str], /, **attributes: tuple[str, Any]) -> Any:
    """The message of a node. An attribute is given as a pair of its kind and its value."""
    message = messages()["NodeDef"](name=name, op=op, input=list(inputs))
    for key, (kind, value) in attributes.items():
        message.attr[key].CopyFrom(attribute(kind, value))
    return message


def call_node(name: str, program: Program, inputs: Sequence[str]) -> Any:
    """The node that runs `program`."""
    message = node(
        name,
        "XlaCallModule",
        inputs,
        Sout=("list_shape", [known_shape(each) for each in program.outputs]),
        Tin=("list_type", [as_dtype(each.dtype) for each in program.inputs]),
        Tout=("list_type", [as_dtype(each.dtype) for each in program.outputs]),
        dim_args_spec=("list_s", []),
        disabled_checks=("list_s", []),
        function_list=("list_func", []),
        has_token_input_output=("b", False),
        module=("s", program.module),
        platforms=("list_s", [platform.upper().encode() for platform in PLATFORMS]),
        use_shardy_partitioner=("b", program.version >= _SHARDY_SINCE),
        version=("i", program.version),
    )
    message.attr[RECORD].s = program.record()
    return message


class _Writer:
    """The messages of a function and of its gradient."""

    def __init__(self, name: str, flat: _Flat, concrete: Any) -> None:
        self._name = name
        self._flat = flat
        self._concrete = concrete
        self._variables = flat.pure.variables
        self._message = messages()["FunctionDef"]()
        self._message.signature.name = name
        self._message.signature.is_stateful = True
        names = concrete.tensor_names
        self._keywords = _unique([re.sub(r"[^A-Za-z0-9_]", "_", each) for each in names])

    def written(self) -> Written:
        flat, message = self._flat, self._message
        program = flat.program
        count = len(self._variables)
        for name, struct in zip(self._keywords, program.inputs[count:], strict=True):
            message.signature.input_arg.add(name=_parameter(name), type=as_dtype(struct.dtype).as_datatype_enum)
        arguments = [each.name for each in message.signature.input_arg]
        reads: list[str] = []
        for place, variable in enumerate(self._variables):
            argument = f"captured_{place}"
            message.signature.input_arg.add(name=argument, type=resource.as_datatype_enum)
            reads.append(f"read_{place}:value:0")
            message.node_def.append(node(f"read_{place}", "ReadVariableOp", [argument], dtype=("type", variable.dtype)))
        sources = [*reads, *arguments]
        message.node_def.append(call_node("program", program, sources))
        self._assign(len(program.outputs) - len(flat.pure.assigned))
        results = [f"program:output:{k}" for k in range(len(program.outputs) - len(flat.pure.assigned))]
        gradient = None
        if flat.backward is not None:
            gradient, results = self._differentiable(sources, results)
        for place, (result, shown) in enumerate(zip(results, program.outputs, strict=False)):
            name = f"output_{place}"
            message.signature.output_arg.add(name=name, type=as_dtype(shown.dtype).as_datatype_enum)
            message.node_def.append(node(f"result_{place}", "Identity", [result], T=("type", as_dtype(shown.dtype))))
            message.ret[name] = f"result_{place}:output:0"
        inputs = self._concrete.structured_input_signature
        return Written(self._name, message, self._keywords, inputs, flat.outputs, self._variables, gradient)

    def _assign(self, first: int) -> None:
        """Adds the assignments of the new values of variables, which are outputs of the program from `first` on."""
        message = self._message
        message.signature.control_output.append("program")
        message.control_ret["program"] = "program"
        for place, number in enumerate(self._flat.pure.assigned):
            name = f"assign_{number}"
            inputs = [f"captured_{number}", f"program:output:{first + place}"]
            dtype = self._variables[number].dtype
            message.node_def.append(
                node(name, "AssignVariableOp", inputs, dtype=("type", dtype), validate_shape=("b", False))
            )
            message.signature.control_output.append(name)
            message.control_ret[name] = name

    def _differentiable(self, sources: list[str], results: list[str]) -> tuple[WrittenGradient, list[str]]:
        """Passes the results through a node with a gradient; returns it, and the new names of the results."""
        program = self._flat.program
        wanted = [place for place, struct in enumerate(program.inputs) if _is_inexact(struct)]
        given = [place for place in range(len(results)) if _is_inexact(program.outputs[place])]
        passed = [
            *[(results[k], program.outputs[k]) for k in given],
            *[(sources[k], program.inputs[k]) for k in wanted],
        ]
        op_type = f"CustomGradient-{self._name}"
        types: list[DType] = [as_dtype(each.dtype) for _, each in passed]
        self._message.node_def.append(
            node(
                "differentiable",
                "IdentityN",
                [name for name, _ in passed],
                T=("list_type", types),
                _gradient_op_type=("s", op_type.encode()),
            )
        )
        renamed = list(results)
        for place, k in enumerate(given):
            renamed[k] = f"differentiable:output:{place}"
        return self._gradient(op_type, sources, results, given, wanted), renamed

    def _gradient(
        self, op_type: str, sources: list[str], results: list[str], given: list[int], wanted: list[int]
    ) -> WrittenGradient:
        program, backward = self._flat.program, self._flat.backward
        assert backward is not None
        name = f"{self._name}_gradient"
        message = messages()["FunctionDef"]()
        message.signature.name, message.signature.is_stateful = name, True
        passed = [*[program.outputs[k] for k in given], *[program.inputs[k] for k in wanted]]
        specs = [_spec(each) for each in passed]
        for place, spec in enumerate(specs):
            message.signature.input_arg.add(name=f"upstream_{place}", type=spec.dtype.as_datatype_enum)
        captured = [*sources, *[results[k] for k in given]]
        for place, struct in enumerate([*program.inputs, *[program.outputs[k] for k in given]]):
            message.signature.input_arg.add(name=f"captured_{place}", type=as_dtype(struct.dtype).as_datatype_enum)
        upstream: list[str] = []
        for place, k in enumerate(given):
            # Gradients that do not exist are zeros, whose open sizes TensorFlow gives as 1.
            shown = as_dtype(program.outputs[k].dtype)
            shape = node(f"shape_{place}", "Shape", [f"captured_{len(sources) + place}"], T=("type", shown))
            message.node_def.append(shape)
            inputs = [f"upstream_{place}", f"shape_{place}:output:0"]
            message.node_def.append(node(f"full_{place}", "BroadcastTo", inputs, T=("type", shown)))
            upstream.append(f"full_{place}:output:0")
        inputs = [*[f"captured_{place}" for place in range(len(sources))], *upstream]
        message.node_def.append(call_node("program", backward, inputs))
        for place, struct in enumerate(backward.outputs):
            output = f"output_{place}"
            message.signature.output_arg.add(name=output, type=as_dtype(struct.dtype).as_datatype_enum)
            message.ret[output] = f"program:output:{place}"
        outputs: list[TensorSpec | None] = [*[None] * len(given), *map(_spec, backward.outputs)]
        return WrittenGradient(name, message, op_type, [_tensor_name(each) for each in captured], specs, outputs)


def _tensor_name(reference: str) -> str:
    """The name of a tensor of a graph: a parameter has one output."""
    head, colon, rest = reference.partition(":")
    return f"{head}:{rest.rpartition(':')[2] if colon else 0}"


def _parameter(name: str) -> str:
    """`name` in the form of parameters: small letters, digits and underscores after a letter."""
    return name.lower() if name[:1].isalpha() else f"arg_{name.lower()}"


def _unique(names: Sequence[str]) -> list[str]:
    found: list[str] = []
    for name in names:
        wanted, count = name or "args", 1
        while wanted.lower() in [each.lower() for each in found]:
            wanted, count = f"{name}_{count}", count + 1
        found.append(wanted)
    return found
