"""Kernels that belong to graphs: constants, calls of functions, branches, loops, and gradients by functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfcompat._autodiff.custom import custom_gradient
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import DataLossError
from tfcompat._core.types.dtype import bool_
from tfcompat._function.control.branch import cond, switch_case
from tfcompat._function.control.while_loop import while_loop
from tfcompat._function.tensor_array.array import TensorArray
from tfcompat._keras.gradient_prevention import prevent_gradient
from tfcompat._ops.array.creation import zeros_like
from tfcompat._ops.elementwise.comparison import not_equal
from tfcompat._ops.identity import identity
from tfcompat._saved_model.kernels.library import Frame, Kernel
from tfcompat._saved_model.kernels.plan import Step
from tfcompat._saved_model.messages.attribute import LAST


def _is_tensor(value: Any) -> bool:
    return isinstance(value, (Tensor, TensorArray))


def _called(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    """A call of a function of the graph."""
    return frame.library.run(_function(step, "f"), inputs)


def _function(step: Step, attribute: str) -> str:
    """The name of the function in an attribute. Raises DataLossError if it has none."""
    value = step.message.attr.get(attribute)
    if value is None or not value.HasField("func"):
        raise DataLossError.of(f"{step.subject} is corrupted: it lacks the function {attribute!r}")
    return value.func.name


def _truth(value: Any) -> Tensor:
    tensor = convert_to_tensor(value)
    return tensor if tensor.dtype is bool_ else not_equal(tensor, zeros_like(tensor))


def _branched(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    """`If`: the function of a branch, called on the inputs after the first."""
    pred, *given = inputs
    then, other = [_branch(frame, _function(step, name), given) for name in ("then_branch", "else_branch")]
    return list(cond(_truth(pred), then, other))


def _branch(frame: Frame, name: str, given: Sequence[Any]) -> Callable[[], tuple[Any, ...]]:
    return lambda: tuple(frame.library.run(name, given))


def _cases(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    """`Case`: the function with a number, called on the inputs after the first."""
    index, *given = inputs
    names = [each.name for each in step.message.attr["branches"].list.func]
    if not names:
        raise DataLossError.of(f"{step.subject} is corrupted: it has no branches")
    return list(switch_case(index, [_branch(frame, name, given) for name in names]))


def _repeated(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    """`While`. Inputs that the body returns unchanged, such as variables, are left out of the loop."""
    library = frame.library
    test, body = _function(step, "cond"), _function(step, "body")
    results = library.plan(body).results
    moving = [
        place for place, value in enumerate(inputs) if results[place : place + 1] != [place] and _is_tensor(value)
    ]

    def whole(state: Sequence[Any]) -> list[Any]:
        found = list(inputs)
        for place, value in zip(moving, state, strict=True):
            found[place] = value
        return found

    def advanced(*state: Any) -> list[Any]:
        found = library.run(body, whole(state))
        return [found[place] for place in moving]

    if not moving:
        return list(inputs)
    ended = while_loop(
        lambda *state: _truth(library.run(test, whole(state))[0]), advanced, [inputs[place] for place in moving]
    )
    return whole(ended)


def _same(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    """`Identity` of tensors, variables, lists and tables."""
    if "_gradient_op_type" in step.message.attr and LAST not in step.message.attr:
        return _with_gradient(frame, step, inputs)
    return list(map(_copied, inputs))


def _copied(value: Any) -> Any:
    return identity(value) if isinstance(value, Tensor) else value


def _with_gradient(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    """The inputs, with the gradient that a function of the library computes."""
    name = frame.library.gradients.get(step.attribute("_gradient_op_type"))
    tensors = [place for place, value in enumerate(inputs) if isinstance(value, Tensor)]

    def same(*values: Any) -> Any:
        def pull(*upstream: Any) -> list[Any]:
            if name is None:
                raise LookupError(f"{step.subject} has a custom gradient, which was not saved with the model.")
            frame.library.require_runnable(name)
            # Tensors of the trace that computes the gradient, in which a second gradient finds them.
            captured = [_copied(value) for value in frame.library.objects.captured(name, frame)]
            found = frame.library.run(name, [*upstream, *captured])
            gradients = frame.library.objects.arranged(name, found, len(inputs))
            return [gradients[place] for place in tensors]

        return [identity(value) for value in values], pull

    found = list(inputs)
    for place, value in zip(tensors, custom_gradient(same)(*[inputs[place] for place in tensors]), strict=True):
        found[place] = value
    return found


def _prevented(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    """The input, whose gradient is an error."""
    del frame
    return [prevent_gradient(inputs[0], step.attribute("message", ""))]


def _constant(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame, inputs
    value = step.attribute("value")
    if not isinstance(value, Tensor):
        raise DataLossError.of(f"{step.subject} is corrupted: it has no value")
    return [value]


def _nothing(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame, step, inputs
    return []


GRAPH_KERNELS: dict[str, Kernel] = {
    "Case": _cases,
    "Const": _constant,
    "DisableCopyOnRead": _nothing,
    "Identity": _same,
    "IdentityN": _same,
    "If": _branched,
    "NoOp": _nothing,
    "PartitionedCall": _called,
    "PreventGradient": _prevented,
    "StatefulPartitionedCall": _called,
    "StatelessCase": _cases,
    "StatelessIf": _branched,
    "StatelessWhile": _repeated,
    "While": _repeated,
}
