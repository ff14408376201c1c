"""An op: a pure function on JAX arrays with its static attributes bound, and the ops derived from it.

Shapes are inferred by `jax.eval_shape`, pullbacks are made by `jax.vjp`, pushforwards by `jax.jvp`, each once per
signature and stored on the op. A derived op is an op too, which is differentiated in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from sys import getprofile
from typing import Any, Literal, NamedTuple
from weakref import WeakValueDictionary, ref

import jax
import jax.numpy as jnp

from tfcompat._core.operation.dependence import dependence
from tfcompat._core.operation.inference import Inference
from tfcompat._core.operation.recipe import Recipe
from tfcompat._core.operation.reversal import depth, reversible
from tfcompat._core.operation.sampling import in_call, outputs_of_samples
from tfcompat._core.system.error import InvalidArgumentError, OpError
from tfcompat._core.system.repetition import repeating
from tfcompat._core.types.aval import Aval, SymbolicAval, aval_like, aval_of
from tfcompat._core.types.dtype import TRAINABLE, as_dtype
from tfcompat._jaxpr.comparison import Unwatched
from tfcompat._jaxpr.postponement import postponed
from tfcompat._jaxpr.size import broadcast_shapes
from tfcompat._jaxpr.tracing import result_structs

Avals = tuple[Aval, ...]
# The outputs for this many signatures are kept.
_MOST_SIGNATURES = 4096
_NOWHERE: frozenset[Avals] = frozenset()
_NONE: frozenset[int] = frozenset()


class Window(NamedTuple):
    """A slice of an op's first input along an axis. Another input gives its start.

    Attributes:
      axis: the axis.
      width: the number of elements; None for a single element, which has no axis in the output.
      along: the position of that axis in the output, or its position if it had one.
      whole: returns the op that takes the whole axis instead; None if that is the first input unchanged.
    """

    axis: int
    width: int | None
    along: int
    whole: Callable[[], Op | None] = lambda: None


@dataclass(frozen=True)
class GradientRule:
    """How TensorFlow differentiates an op, if that differs from JAX's derivative of its function.

    `tfcompat._autodiff.connection` decides by these rules whether a gradient is None.

    Attributes:
      blocked: the input positions through which no gradient flows; True for all.
      cuts: whether tapes regard the outputs as new values, as for stop_gradient and assignments. Otherwise the outputs
        derive from the inputs even if no gradient flows, and gradients with respect to them may be requested.
      linked: for each output, the input positions that its derivative depends on; None means all. (Decides between a
        gradient and None.)
      flat: whether second derivatives that don't exist are zeros instead of None (TensorFlow differs from op to op).
      rows: for a gather along axis 0: the input positions of (params, indices). Its gradient is a set of rows.
      passes: whether an output whose gradient is a set of rows passes it on to the inputs of its shape and dtype.
      no_gradient: TensorFlow's name of an op without a gradient, if requesting it is an error (LookupError).
      no_second: if TensorFlow can't differentiate the gradient: "" if the second derivative is None, TensorFlow's name
        of the gradient op if it is an error. None if TensorFlow can.
      reads: whether TensorFlow's gradient reads values of the inputs or outputs, not only shapes. (Decides between
        zeros and None for second derivatives of loops.)
      keeps: for a loop, the inputs that TensorFlow's gradient derives from. A second derivative that doesn't exist is
        zeros for these inputs, and None for others.
    """

    blocked: frozenset[int] | Literal[True] = frozenset()
    cuts: bool = False
    linked: tuple[frozenset[int], ...] | None = None
    flat: bool = False
    rows: tuple[int, int] | None = None
    passes: bool = False
    no_gradient: str = ""
    no_second: str | None = None
    reads: bool = True
    keeps: frozenset[int] | None = None

    @property
    def is_blocked(self) -> bool:
        """Whether no gradient flows through any input."""
        return self.blocked is True

    def links(self, output: int, position: int) -> bool:
        """Whether a derivative of `output` flows to the input at `position`."""
        if self.blocked is True or position in self.blocked:
            return False
        return self.linked is None or position in self.linked[output]

    def derives(self, output: int, position: int) -> bool:
        """Whether a tape that follows the input at `position` follows `output`."""
        return not self.cuts and (self.linked is None or position in self.linked[output])

    def of_pullback(self, linked: Sequence[frozenset[int]], inputs: int, places: Mapping[int, int]) -> GradientRule:
        """The rule of the pullback of an op with this rule, for second derivatives.

        `linked` are the arguments, by number, that each result depends on: first the `inputs` of the op, then the
        cotangents. `places` maps each argument that the pullback takes to its number there.
        """
        if self.keeps is not None:
            linked = [self.keeps.union(i for i in depends if i >= inputs) for depends in linked]
        return GradientRule(
            linked=tuple(frozenset(places[i] for i in depends if i in places) for depends in linked),
            flat=self.flat,
            blocked=True if self.no_second == "" else frozenset(),
            no_gradient=self.no_second or "",
        )


PLAIN = GradientRule()


class ValueCheck(NamedTuple):
    """A check of an op's input values.

    Attributes:
      flag: takes the arrays of the inputs, returns a boolean that is true if they are bad.
      message: the error message for bad values.
    """

    flag: Callable[..., Any]
    message: str


class Op:
    """A named pure function on arrays.

    Attributes:
      name: TensorFlow's name without the leading `tf.`, or that of the op it derives from in brackets.
      fn: takes arrays, returns an array, or a tuple of arrays if `many`.
      label: the static attributes that are not at their defaults as text, for printed traces.
      gradient: how TensorFlow differentiates it.
      check: the check of its input values, if it has one.
      validate: takes the inputs' avals, and raises if their shapes don't fit.
      is_elementwise: the output has the dtype of the inputs and the shape that theirs broadcast to.
      windows: for an op that slices its first input at places given by other inputs: a `Window` by input position.
      is_wide: whether JAX enables 64-bit types when it differentiates the op. (Shapes and values don't depend on it.)
      zeros: the outputs of a pullback that are always 0.
      batched: for a batched op (see `tfcompat._core.operation.batch`): whether each input has an axis of rows.
      compiled_for: the signatures compiled, in a program or alone; `compiled_alone_for`: those compiled alone.
      infers: takes the inputs' avals, which `validate` has accepted, and returns that of the only output without asking
        JAX, or None.
      on_host: the same function in NumPy, for ops that draw numbers: the host evaluates it without a trace.
      fold: the same function in NumPy, for small integers that are known while Python runs: sizes.
      hosted: its evaluations on the host, by signature; None for those that the host cannot evaluate.
      forms: the forms of its pullbacks (see `_Form`).
      recipe: how it was made, if a similar op can be made for other sizes.
      mark: of a mark among the steps of replicas, its meaning (see `tfcompat._distribute.mark`).
      is_bound: whether its step makes a size that the program finds (see `tfcompat._core.operation.bound`).
    """

    __slots__ = (
        *("__weakref__", "_calls_python", "_derivatives", "batched", "check", "compiled", "compiled_alone_for"),
        *("compiled_for", "derived", "fn", "fold", "forms", "gradient", "hosted", "inference", "inferred", "infers"),
        *(
            "is_bound",
            "is_elementwise",
            "is_wide",
            "label",
            "many",
            "mark",
            "name",
            "on_host",
            "recipe",
            "validate",
            "windows",
            "zeros",
        ),
    )

    def __init__(
        self,
        name: str,
        fn: Callable[..., Any],
        *,
        label: str = "",
        many: bool = False,
        gradient: GradientRule = PLAIN,
        check: ValueCheck | None = None,
        validate: Callable[..., None] | None = None,
        is_elementwise: bool = False,
        windows: dict[int, Window] | None = None,
        is_wide: bool = True,
        infers: Callable[..., Aval | None] | None = None,
        on_host: Callable[..., Any] | None = None,
        fold: Callable[..., Any] | None = None,
        calls_python: bool | None = None,
    ) -> None:
        """An op. If `calls_python` is None, it calls Python if an op in its recipe does."""
        self.name = name
        self.fn = fn
        self.label = label
        self.many = many
        self.gradient = gradient
        self.check = check
        self.validate = validate
        self.is_elementwise = is_elementwise
        self.windows = windows or {}
        self.is_wide = is_wide
        self.infers = infers
        self.on_host = on_host
        self.fold = fold
        self._calls_python = calls_python
        self.zeros: frozenset[int] = _NONE
        self.batched: tuple[bool, ...] = ()
        self.inferred: dict[Avals, Avals] = {}
        self.inference: Inference | None = None
        self.recipe: Recipe | None = None
        self.mark: Any = None
        self.is_bound = False
        self.forms: dict[Any, _Form] = {}
        self.derived: dict[Any, Any] = {}
        self._derivatives: WeakValueDictionary[Any, Op] | None = None
        self.compiled: Callable[..., Any] | None = None
        self.compiled_alone_for: frozenset[Avals] = _NOWHERE
        self.compiled_for: frozenset[Avals] = _NOWHERE
        self.hosted: dict[Avals, Any] = {}

    def __repr__(self) -> str:
        return f"{self.name}({self.label})" if self.label else self.name

    @property
    def calls_python(self) -> bool:
        """Whether it calls Python functions of the user (see `tfcompat._core.system.python_program`)."""
        if self._calls_python is None:
            self._calls_python = self.recipe is not None and any(op.calls_python for op in self.recipe.ops())
        return self._calls_python

    def infer(self, avals: Avals) -> Avals:
        """The outputs' avals for inputs of `avals`. Raises InvalidArgumentError if the op refuses them."""
        found = self.inferred.get(avals)
        if found is not None:
            return found
        if getprofile() is None:  # nothing watches, as in nearly all calls
            return self._infer_new(avals)
        with Unwatched(is_op=True):
            return self._infer_new(avals)

    def _infer_new(self, avals: Avals) -> Avals:
        """As `infer`, for a signature that is not in `inferred`."""
        if SymbolicAval in map(type, avals):
            return self._infer_symbols(avals)
        if self.validate is not None:
            self.validate(*avals)
        # Without JAX this is fast: nothing is kept for each signature.
        if self.is_elementwise:
            return (_broadcast(self.name, avals),)
        if self.infers is not None and (alone := self.infers(*avals)) is not None:
            return (alone,)
        found = self._infer(avals)
        if len(self.inferred) >= _MOST_SIGNATURES:
            self.inferred.clear()
        self.inferred[avals] = found
        return found

    def _infer_symbols(self, avals: Avals) -> Avals:
        """As `infer`, if sizes contain symbols. The op validates them when they are known."""
        if self.is_elementwise:
            if all(aval == avals[0] for aval in avals):
                return avals[:1]
            return (aval_of(broadcast_shapes(*[aval.shape for aval in avals]), avals[0].dtype),)
        if self.infers is not None and (found := self.infers(*avals)) is not None:
            return (found,)
        with postponed():  # the exception of a signal handler says nothing about sizes
            try:
                return tuple(map(aval_like, result_structs(self.outputs, [aval.struct for aval in avals])))
            except Exception as refused:  # code that needs to know a size may raise any error
                found = outputs_of_samples(self, avals)
                if found is None and isinstance(refused, TypeError):
                    raise ValueError(f"tf.{self.name}: {refused}") from refused  # JAX's class for some shapes
                if found is None:
                    raise
            return found

    def _infer(self, avals: Avals) -> Avals:
        if self.inference is None:
            self.inference = Inference(self.fn, self.many)
        try:
            return self.inference(avals)
        except OpError:
            raise
        except (TypeError, ValueError, IndexError, ZeroDivisionError) as refused:
            inputs = ", ".join(map(repr, avals))
            raise InvalidArgumentError.of(f"tf.{self.name}: {str(refused).splitlines()[0]} Got {inputs}.") from refused

    def outputs(self, *arrays: Any) -> tuple[Any, ...]:
        """The outputs as a tuple, whatever their number."""
        out = self.fn(*arrays)
        return tuple(out) if self.many else (out,)

    def checker(self) -> Op:
        """The op that maps the inputs to the flag of their value check."""
        found = self.derived.get("checker")
        if found is None:
            assert self.check is not None
            flag = self.check.flag
            found = self.derived["checker"] = Op(f"check[{self.name}]", lambda *inputs: jnp.any(flag(*inputs)))
        return found

    def pullback(
        self, avals: Avals, wanted: tuple[int, ...], given: tuple[int, ...], outputs: Avals | None = None
    ) -> tuple[Op, tuple[int, ...]]:
        """The op that maps the outputs' cotangents to the inputs' cotangents, and the inputs that it reads.

        `wanted` are the input positions to differentiate for, `given` the outputs that have a cotangent. The op takes
        the inputs that it reads, then the given cotangents, and returns one cotangent for each wanted input. `outputs`
        are the avals of the outputs, if they are known.
        """
        key = ("pullback", avals, wanted, given)
        found = self.derivatives.get(key)
        if found is None:
            if getprofile() is None:
                found = _pullback(self, avals, wanted, given, outputs or self.infer(avals))
            else:
                with Unwatched(is_op=True):
                    found = _pullback(self, avals, wanted, given, outputs or self.infer(avals))
            if SymbolicAval not in map(type, avals):
                self.derivatives[key] = found
        assert found.recipe is not None
        form: _Form = found.recipe.fixed[-1]
        return found, form.read

    def pushforward(self, avals: Avals, moved: tuple[int, ...]) -> Op:
        """The op that maps tangents of the inputs at `moved` to tangents of the floating outputs.

        It takes all the inputs, then the tangents.
        """
        key = ("pushforward", avals, moved)
        found = self.derivatives.get(key)
        if found is None:
            with Unwatched(is_op=True):
                found = _pushforward(self, avals, moved)
            if SymbolicAval not in map(type, avals):
                self.derivatives[key] = found
        return found

    @property
    def derivatives(self) -> WeakValueDictionary[Any, Op]:
        """Its pullbacks and pushforwards. Each is kept for as long as a recorded step or a program uses it."""
        if self._derivatives is None:
            self._derivatives = WeakValueDictionary()
        return self._derivatives


def differentiable(aval: Aval) -> bool:
    """Whether a tensor of `aval` can carry a gradient."""
    return aval.dtype in TRAINABLE


def linearize(
    op: Op, inputs: tuple[Any, ...], wanted: tuple[int, ...], given: tuple[int, ...]
) -> tuple[tuple[Any, ...], Callable[..., tuple[Any, ...]]]:
    """The outputs of `op` on `inputs`, and its pullback for the inputs at `wanted` in TensorFlow's convention.

    The pullback takes one cotangent, or None, for each of the outputs `given`. Other outputs are left out of the
    linearized function, because JAX would propagate zeros from them. TensorFlow's gradient of a complex tensor is the
    conjugate of JAX's.
    """

    def of_wanted(*values: Any) -> tuple[Any, ...]:
        full = list(inputs)
        for position, value in zip(wanted, values, strict=True):
            full[position] = value
        outputs = op.outputs(*full)
        return tuple(outputs[k] for k in given), outputs

    with reversible(depth() + 1), jax.enable_x64(op.is_wide):
        pulled, pull, outputs = jax.vjp(of_wanted, *[inputs[i] for i in wanted], has_aux=True)

    def pull_conjugate(*cotangents: Any) -> tuple[Any, ...]:
        full = tuple(
            jnp.zeros_like(out) if ct is None else jnp.conj(ct) for out, ct in zip(pulled, cotangents, strict=True)
        )
        with jax.enable_x64(op.is_wide):
            return tuple(map(jnp.conj, pull(full)))

    return outputs, pull_conjugate


def _broadcast(name: str, avals: Avals) -> Aval:
    first, *others = avals
    for aval in others:
        if aval is not first:
            break
    else:
        return first
    try:
        return aval_of(broadcast_shapes(*[aval.shape for aval in avals]), first.dtype)
    except ValueError as refused:
        shapes = " and ".join(str(aval.shape) for aval in avals)
        raise InvalidArgumentError.of(f"tf.{name}: shapes must broadcast, got {shapes}.") from refused


@dataclass(frozen=True)
class _Form:
    """The common part of an op's pullbacks for all signatures with sizes of 0 and 1 in the same places.

    Attributes:
      read: the inputs that it reads; `place`: the places of inputs and cotangents among its arguments.
      gradient: its gradient rule; `zeros`: the outputs that are always 0.
      jaxprs: the jaxpr that has shown this form, by the op and the avals of all inputs and cotangents.
      forms: the forms of its own pullbacks.
    """

    read: tuple[int, ...]
    place: dict[int, int] = field(compare=False)
    gradient: GradientRule
    zeros: frozenset[int]
    jaxprs: dict[Any, Any] = field(default_factory=dict, compare=False)
    forms: dict[Any, Any] = field(default_factory=dict, compare=False)


def _pullback(op: Op, avals: Avals, wanted: tuple[int, ...], given: tuple[int, ...], outs: Avals) -> Op:
    arguments = (*avals, *[outs[i] for i in given])
    key = (tuple([aval.kind for aval in arguments]), wanted, given)
    form = op.forms.get(key)
    if form is None:
        form = _form_of_samples(op, avals, wanted, given) if SymbolicAval in map(type, avals) else None
        form = op.forms[key] = form or _form(op, arguments, len(avals), wanted, given)
    pullback = pullback_like(wanted, given, form, op, avals)
    signature = (*[avals[i] for i in form.read], *[outs[i] for i in given])
    pullback.inferred[signature] = tuple([avals[i] for i in wanted])
    return pullback


def _form_of_samples(op: Op, avals: Avals, wanted: tuple[int, ...], given: tuple[int, ...]) -> _Form | None:
    """The form of the pullback for the sizes of the call that is traced.

    None if no symbols are being traced, or if `op` refuses the sizes.
    """
    like = in_call(op, avals)
    if like is None:
        return None
    try:
        return like[0].pullback(like[1], wanted, given)[0].recipe.fixed[-1]  # pyright: ignore[reportOptionalMemberAccess]
    except InvalidArgumentError:
        return None


def pullback_like(wanted: tuple[int, ...], given: tuple[int, ...], form: _Form, op: Op, avals: Avals) -> Op:
    """The pullback of `op` in the given `form`."""
    read, place = form.read, form.place

    def reduced(*args: Any) -> tuple[Any, ...]:
        primals = [
            args[place[i]] if i in place else jnp.zeros(aval.shape, aval.struct.dtype) for i, aval in enumerate(avals)
        ]
        with repeating():
            return linearize(op, tuple(primals), wanted, given)[1](*args[len(read) :])

    name, rule = f"gradient[{op.name}]", form.gradient
    pullback = Op(name, reduced, label=op.label, many=True, gradient=rule, is_wide=op.is_wide)
    pullback.zeros = form.zeros
    pullback.forms = form.forms
    pullback.recipe = Recipe(
        pullback_like, (wanted, given, form), (op, avals), lambda sized: sized[0].pullback(sized[1], wanted, given)[0]
    )
    return pullback


def _form(op: Op, arguments: Avals, count: int, wanted: tuple[int, ...], given: tuple[int, ...]) -> _Form:
    """The form of the pullbacks of `op`, which has `count` inputs; `arguments` are these and the cotangents."""

    def full(*args: Any) -> tuple[Any, ...]:
        with repeating():
            return linearize(op, args[:count], wanted, given)[1](*args[count:])

    found = dependence(full, [aval.struct for aval in arguments], through_comparisons=op.gradient.flat)
    keeps = op.gradient.keeps
    read = tuple(i for i in range(count) if i in found.used or i in (keeps or ()))
    place = {position: k for k, position in enumerate((*read, *range(count, len(arguments))))}
    rule = op.gradient.of_pullback(found.linked, count, place)
    # An output that is linear in the cotangents and constant is 0.
    return _Form(read, place, rule, found.constant, {(ref(op), arguments): found.jaxpr})


def _pushforward(op: Op, avals: Avals, moved: tuple[int, ...]) -> Op:
    pushed = pushforward_like(moved, op, avals)
    outputs = tuple(filter(differentiable, op.infer(avals)))
    pushed.inferred[*avals, *(avals[i] for i in moved)] = outputs
    return pushed


def pushforward_like(moved: tuple[int, ...], op: Op, avals: Avals) -> Op:
    """The pushforward of `op` for inputs of `avals`."""

    def push(*args: Any) -> tuple[Any, ...]:
        primals, tangents = args[: len(avals)], args[len(avals) :]

        def of_moved(*values: Any) -> tuple[Any, ...]:
            full = list(primals)
            for position, value in zip(moved, values, strict=True):
                full[position] = value
            return tuple(out for out in op.outputs(*full) if as_dtype(out.dtype) in TRAINABLE)

        with repeating(), jax.enable_x64(op.is_wide):
            return jax.jvp(of_moved, tuple(primals[i] for i in moved), tuple(tangents))[1]

    pushed = Op(
        f"tangent[{op.name}]",
        push,
        label=op.label,
        many=True,
        gradient=GradientRule(flat=op.gradient.flat),
        is_wide=op.is_wide,
    )
    pushed.recipe = Recipe(pushforward_like, (moved,), (op, avals), lambda sized: sized[0].pushforward(sized[1], moved))
    return pushed
