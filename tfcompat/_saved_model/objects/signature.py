"""The signatures of a SavedModel: functions that take tensors by name and return dictionaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tfcompat._core.structure.spec import TensorSpec, TypeSpec
from tfcompat._core.types import nest
from tfcompat._function.arguments.trace_type import VariableSpec
from tfcompat._function.functions.function import Function
from tfcompat._saved_model.kernels.restored_function import RestoredFunction
from tfcompat._saved_model.messages.constant import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from tfcompat._saved_model.messages.message import messages
from tfcompat._saved_model.nodes.function_writer import Written
from tfcompat._saved_model.nodes.node import function_node
from tfcompat._saved_model.objects.traced import CONCRETE, Concretes, named_refusals, saved_form

# The attribute whose function is the signature of a Keras model.
_OF_KERAS = "_default_save_signature"


class Signature(NamedTuple):
    """A signature as messages.

    Attributes:
      name: the name of the function in the library; `message`: the `FunctionDef`.
      inputs, outputs: the specs by name.
      captured: the variables, tables and files that it takes after its arguments.
    """

    name: str
    message: Any
    inputs: dict[str, TensorSpec]
    outputs: dict[str, TensorSpec]
    captured: Sequence[Any]


def concrete_signatures(signatures: Any, concretes: Concretes) -> dict[str, Any]:
    """The concrete functions for the argument `signatures`, by name.

    Raises: ValueError for a function without a signature, or whose arguments or results cannot be those of one.
    """
    if signatures is None:
        return {}
    given = signatures if isinstance(signatures, Mapping) else {DEFAULT_SERVING_SIGNATURE_DEF_KEY: signatures}
    found: dict[str, Any] = {}
    for name, function in given.items():
        concrete = _with_signature(function, concretes)
        if concrete is None:
            raise ValueError(
                f"Expected a TensorFlow function for which to generate a signature, but got {function}. Only "
                "`tf.functions` with an input signature or concrete functions can be used as a signature."
            )
        _require_tensors(concrete)
        normalised(concrete.structured_outputs, concrete.name, name)
        found[name] = concrete
    return found


def found_signature(children: Mapping[str, Any], concretes: Concretes) -> Any:
    """The function among the `children` of the root that becomes its signature; None unless exactly one can."""
    if _OF_KERAS in children:
        return children[_OF_KERAS]
    possible: list[Any] = []
    for child in children.values():
        concrete = _with_signature(child, concretes)
        if concrete is not None:
            with named_refusals(concrete.name):
                is_valid = _is_valid(concrete)
            possible += [concrete] if is_valid else []
    return possible[0] if len(possible) == 1 else None


def _with_signature(function: Any, concretes: Concretes) -> Any:
    if isinstance(function, CONCRETE):
        with named_refusals(function.name):
            return saved_form(function)
    if isinstance(function, Function) and function.input_signature is not None:
        listed = function.concrete_functions if isinstance(function, RestoredFunction) else concretes.of(function)
        return listed[0] if listed else None
    return None


def _is_valid(concrete: Any) -> bool:
    try:
        _require_tensors(concrete)
        normalised(concrete.structured_outputs, "unused", "unused")
    except ValueError:
        return False
    return bool(nest.flatten(concrete.structured_outputs))


def _require_tensors(concrete: Any) -> None:
    leaves = nest.flatten(concrete.structured_input_signature)
    composite = next((leaf for leaf in leaves if isinstance(leaf, TypeSpec) and not isinstance(leaf, TensorSpec)), None)
    if composite is not None and not isinstance(composite, VariableSpec):
        raise ValueError(
            f"The function {concrete.name!r} takes {composite!r}, but signatures take tensors; pass the tensors of "
            "which it consists. Without a signature, the function is saved as an attribute."
        )
    if any(isinstance(leaf, VariableSpec) for leaf in leaves):
        raise ValueError(
            f"Unable to serialize concrete_function '{concrete.name}' with tf.Variable input. Functions that expect "
            "tf.Variable inputs cannot be exported as signatures."
        )


def normalised(outputs: Any, function: str, name: str) -> dict[str, Any]:
    """The structure `outputs` of a function as a dictionary. Raises ValueError if it cannot be that of a signature."""
    if not isinstance(outputs, Mapping):
        if hasattr(outputs, "_asdict"):
            outputs = outputs._asdict()
        else:
            listed = outputs if isinstance(outputs, (list, tuple)) else [outputs]
            outputs = {f"output_{place}": output for place, output in enumerate(listed)}
    for key, value in outputs.items():
        if not isinstance(key, (str, bytes)):
            raise ValueError(
                f"Got a dictionary with a non-string key {key!r} in the output of the function {function} used to "
                f"generate the SavedModel signature {name!r}."
            )
        if not isinstance(value, TensorSpec):
            raise ValueError(
                f"Got a non-Tensor value {value!r} for key {key!r} in the output of the function {function} used to "
                f"generate the SavedModel signature {name!r}. Outputs for functions used as signatures must be a "
                "single Tensor, a sequence of Tensors, or a dictionary from string to Tensor."
            )
    return dict(outputs)


def written_signature(number: int, concrete: Any, function: Written) -> Signature:
    """The signature that calls `function`, which was written for `concrete`; `number` makes its name unique."""
    name = f"__inference_signature_wrapper_{number}"
    specs = [spec for spec in nest.flatten(concrete.structured_input_signature) if isinstance(spec, TensorSpec)]
    keywords = function.keywords
    inputs = {key: TensorSpec(spec.shape, spec.dtype, key) for key, spec in zip(keywords, specs, strict=True)}
    outputs = normalised(function.outputs, concrete.name, name)
    keys = list(outputs)
    # The results of the function are in the order of its structure.
    order = {id(spec): place for place, spec in enumerate(nest.flatten(function.outputs))}
    message = messages()["FunctionDef"]()
    message.signature.name, message.signature.is_stateful = name, True
    signature = function.message.signature
    ordered = sorted(inputs)
    by_key = dict(zip(keywords, signature.input_arg, strict=False))
    for key in ordered:
        message.signature.input_arg.add(name=by_key[key].name, type=inputs[key].dtype.as_datatype_enum)
    captured = signature.input_arg[len(keywords) :]
    for argument in captured:
        message.signature.input_arg.add(name=argument.name, type=argument.type)
    passed = [argument.name for argument in signature.input_arg]
    message.node_def.append(function_node("call", function.message, passed))
    for key in sorted(keys):
        place = order[id(outputs[key])]
        label = f"output_{place}"
        message.signature.output_arg.add(name=label, type=outputs[key].dtype.as_datatype_enum)
        message.ret[label] = f"call:output:{place}"
    message.signature.control_output.append("call")
    message.control_ret["call"] = "call"
    shown = {key: TensorSpec(outputs[key].shape, outputs[key].dtype, key) for key in sorted(keys)}
    return Signature(name, message, {key: inputs[key] for key in ordered}, shown, function.captured)
