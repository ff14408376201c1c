"""Kernels of optimizers: each reads a variable and its slots, and assigns the values updated by a gradient.

A rule takes the values of the variable and of the slots first, then numbers and the gradient, and returns the new
values in the same order. It defines both the kernel that updates the whole variable and the one that updates some of
its rows.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import DType
from tfcompat._ops.array.gathering import gather
from tfcompat._ops.elementwise.algebraic import abs as absolute
from tfcompat._ops.elementwise.algebraic import maximum, pow, rsqrt, sign, sqrt, square
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.elementwise.transcendental import exp
from tfcompat._ops.indexed_slices.rows import IndexedSlices
from tfcompat._raw_ops.kernel import kernel
from tfcompat._state.handle import variable_of

Rule = Callable[..., tuple[Any, ...]]


def _shrunk(value: Any, bound: Any) -> Any:
    """`value`, moved towards 0 by `bound`, at most to 0."""
    return sign(value) * maximum(absolute(value) - bound, 0.0)


def _moments(m: Any, v: Any, beta1: Any, beta2: Any, grad: Any) -> tuple[Any, Any]:
    return m + (grad - m) * (1.0 - beta1), v + (square(grad) - v) * (1.0 - beta2)


def _gradient_descent(var: Any, alpha: Any, delta: Any) -> tuple[Any, ...]:
    return (var - alpha * delta,)


def _proximal_gradient_descent(var: Any, alpha: Any, l1: Any, l2: Any, delta: Any) -> tuple[Any, ...]:
    return (_shrunk(var - alpha * delta, alpha * l1) / (1.0 + alpha * l2),)


def _proximal_rows(var: Any, alpha: Any, l1: Any, l2: Any, grad: Any) -> tuple[Any, ...]:
    return _proximal_gradient_descent(var, alpha, l1, l2, grad)


def _momentum(var: Any, accum: Any, lr: Any, grad: Any, momentum: Any, use_nesterov: bool = False) -> tuple[Any, ...]:
    accum = accum * momentum + grad
    return var - lr * (grad + accum * momentum if use_nesterov else accum), accum


def _keras_momentum(
    var: Any, accum: Any, lr: Any, grad: Any, momentum: Any, use_nesterov: bool = False
) -> tuple[Any, ...]:
    accum = accum * momentum - lr * grad
    return var + (accum * momentum - lr * grad if use_nesterov else accum), accum


def _adagrad(var: Any, accum: Any, lr: Any, grad: Any, update_slots: bool = True) -> tuple[Any, ...]:
    accum = accum + square(grad) if update_slots else accum
    return var - lr * grad * rsqrt(accum), accum


def _adagrad_v2(var: Any, accum: Any, lr: Any, epsilon: Any, grad: Any, update_slots: bool = True) -> tuple[Any, ...]:
    accum = accum + square(grad) if update_slots else accum
    return var - lr * grad / (sqrt(accum) + epsilon), accum


def _proximal_adagrad(var: Any, accum: Any, lr: Any, l1: Any, l2: Any, grad: Any) -> tuple[Any, ...]:
    accum = accum + square(grad)
    rate = lr * rsqrt(accum)
    return _shrunk(var - rate * grad, rate * l1) / (1.0 + rate * l2), accum


def _adagrad_da(
    var: Any,
    gradient_accumulator: Any,
    gradient_squared_accumulator: Any,
    grad: Any,
    lr: Any,
    l1: Any,
    l2: Any,
    global_step: Any,
) -> tuple[Any, ...]:
    del var
    total, squares = gradient_accumulator + grad, gradient_squared_accumulator + square(grad)
    return -lr * _shrunk(total, l1 * global_step) / (l2 * global_step * lr + sqrt(squares)), total, squares


def _adadelta(var: Any, accum: Any, accum_update: Any, lr: Any, rho: Any, epsilon: Any, grad: Any) -> tuple[Any, ...]:
    accum = accum * rho + square(grad) * (1.0 - rho)
    update = sqrt(accum_update + epsilon) * rsqrt(accum + epsilon) * grad
    return var - lr * update, accum, accum_update * rho + square(update) * (1.0 - rho)


def _adam(
    var: Any,
    m: Any,
    v: Any,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    grad: Any,
    use_nesterov: bool = False,
) -> tuple[Any, ...]:
    m, v = _moments(m, v, beta1, beta2, grad)
    rate = lr * sqrt(1.0 - beta2_power) / (1.0 - beta1_power)
    step = m * beta1 + grad * (1.0 - beta1) if use_nesterov else m
    return var - rate * step / (sqrt(v) + epsilon), m, v


def _amsgrad(
    var: Any,
    m: Any,
    v: Any,
    vhat: Any,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    grad: Any,
) -> tuple[Any, ...]:
    m, v = _moments(m, v, beta1, beta2, grad)
    vhat = maximum(vhat, v)
    rate = lr * sqrt(1.0 - beta2_power) / (1.0 - beta1_power)
    return var - rate * m / (sqrt(vhat) + epsilon), m, v, vhat


def _adamax(
    var: Any, m: Any, v: Any, beta1_power: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any, grad: Any
) -> tuple[Any, ...]:
    m = m + (grad - m) * (1.0 - beta1)
    v = maximum(beta2 * v, absolute(grad))
    return var - lr / (1.0 - beta1_power) * m / (v + epsilon), m, v


def _add_sign(var: Any, m: Any, lr: Any, alpha: Any, sign_decay: Any, beta: Any, grad: Any) -> tuple[Any, ...]:
    m = m * beta + grad * (1.0 - beta)
    return var - lr * (alpha + sign_decay * sign(grad) * sign(m)) * grad, m


def _power_sign(var: Any, m: Any, lr: Any, logbase: Any, sign_decay: Any, beta: Any, grad: Any) -> tuple[Any, ...]:
    m = m * beta + grad * (1.0 - beta)
    return var - lr * exp(logbase * sign_decay * sign(grad) * sign(m)) * grad, m


def _rmsprop(var: Any, ms: Any, mom: Any, lr: Any, rho: Any, momentum: Any, epsilon: Any, grad: Any) -> tuple[Any, ...]:
    ms = ms + (square(grad) - ms) * (1.0 - rho)
    mom = mom * momentum + lr * grad * rsqrt(ms + epsilon)
    return var - mom, ms, mom


def _centered_rmsprop(
    var: Any, mg: Any, ms: Any, mom: Any, lr: Any, rho: Any, momentum: Any, epsilon: Any, grad: Any
) -> tuple[Any, ...]:
    ms = ms + (square(grad) - ms) * (1.0 - rho)
    mg = mg + (grad - mg) * (1.0 - rho)
    mom = mom * momentum + lr * grad * rsqrt(ms - square(mg) + epsilon)
    return var - mom, mg, ms, mom


def _ftrl_v2(
    var: Any,
    accum: Any,
    linear: Any,
    grad: Any,
    lr: Any,
    l1: Any,
    l2: Any,
    l2_shrinkage: Any,
    lr_power: Any,
    multiply_linear_by_lr: bool = False,
) -> tuple[Any, ...]:
    shrunk, new = grad + 2.0 * l2_shrinkage * var, accum + square(grad)
    before: Any = pow(accum, -lr_power)
    after: Any = pow(new, -lr_power)
    if multiply_linear_by_lr:
        linear, bound, curve = linear + shrunk * lr - (after - before) * var, l1 * lr, after + 2.0 * l2 * lr
    else:
        linear, bound, curve = linear + shrunk - (after - before) / lr * var, l1, after / lr + 2.0 * l2
    return -_shrunk(linear, bound) / curve, new, linear


def _ftrl(
    var: Any,
    accum: Any,
    linear: Any,
    grad: Any,
    lr: Any,
    l1: Any,
    l2: Any,
    lr_power: Any,
    multiply_linear_by_lr: bool = False,
) -> tuple[Any, ...]:
    return _ftrl_v2(var, accum, linear, grad, lr, l1, l2, 0.0, lr_power, multiply_linear_by_lr)


def _number(key: str, value: Any, dtype: DType) -> Any:
    """An argument as a rule takes it: an option, or a tensor of the variable's dtype."""
    if type(value) is bool:
        return value
    return cast(convert_to_tensor(value), dtype) if key == "global_step" else convert_to_tensor(value, dtype)


def _applied(name: str, rule: Rule, slots: int) -> Callable[..., Any]:
    """The kernel `name` that updates a variable and its slots by `rule`; `slots` is their number, with the variable.

    A kernel with Sparse in its name updates the rows at `indices`, which are assumed to be distinct.
    """
    listed = list(inspect.signature(rule).parameters.values())
    required = [each.name for each in listed if each.default is each.empty]
    options = [f"{each.name}={each.default}" for each in listed if each.default is not each.empty]
    held, gradient = required[:slots], "delta" if "delta" in required else "grad"
    if "Sparse" in name:
        required.insert(required.index("grad") + 1, "indices")

    def update(indices: Any = None, **given: Any) -> None:
        cells = [variable_of(name, given.pop(key)) for key in held]
        values = [cell._entered() for cell in cells]
        if indices is not None:
            values = [gather(value, indices) for value in values]
        dtype = values[0].dtype
        numbers = {key: _number(key, value, dtype) for key, value in given.items()}
        alike: list[tuple[str, Any]] = [*zip(held, values, strict=True), (gradient, numbers[gradient])]
        for key, value in alike:
            if value._aval.shape != values[0]._aval.shape:
                raise InvalidArgumentError.of(
                    f"tf.raw_ops.{name}: var and {key} do not have the same shape: {values[0]._aval.shape} and "
                    f"{value._aval.shape}."
                )
        for cell, value in zip(cells, rule(*values, **numbers), strict=True):
            if indices is None:
                cell.assign(value)
            else:
                cell.scatter_update(IndexedSlices(value, convert_to_tensor(indices)))

    update.__doc__ = "Updates a variable and its slots."
    return kernel(name, update, " ".join([*required, "use_locking:=False", *options]))


ResourceApplyAdaMax = _applied("ResourceApplyAdaMax", _adamax, 3)
ResourceApplyAdadelta = _applied("ResourceApplyAdadelta", _adadelta, 3)
ResourceApplyAdagrad = _applied("ResourceApplyAdagrad", _adagrad, 2)
ResourceApplyAdagradDA = _applied("ResourceApplyAdagradDA", _adagrad_da, 3)
ResourceApplyAdagradV2 = _applied("ResourceApplyAdagradV2", _adagrad_v2, 2)
ResourceApplyAdam = _applied("ResourceApplyAdam", _adam, 3)
ResourceApplyAdamWithAmsgrad = _applied("ResourceApplyAdamWithAmsgrad", _amsgrad, 4)
ResourceApplyAddSign = _applied("ResourceApplyAddSign", _add_sign, 2)
ResourceApplyCenteredRMSProp = _applied("ResourceApplyCenteredRMSProp", _centered_rmsprop, 4)
ResourceApplyFtrl = _applied("ResourceApplyFtrl", _ftrl, 3)
ResourceApplyFtrlV2 = _applied("ResourceApplyFtrlV2", _ftrl_v2, 3)
ResourceApplyGradientDescent = _applied("ResourceApplyGradientDescent", _gradient_descent, 1)
ResourceApplyKerasMomentum = _applied("ResourceApplyKerasMomentum", _keras_momentum, 2)
ResourceApplyMomentum = _applied("ResourceApplyMomentum", _momentum, 2)
ResourceApplyPowerSign = _applied("ResourceApplyPowerSign", _power_sign, 2)
ResourceApplyProximalAdagrad = _applied("ResourceApplyProximalAdagrad", _proximal_adagrad, 2)
ResourceApplyProximalGradientDescent = _applied("ResourceApplyProximalGradientDescent", _proximal_gradient_descent, 1)
ResourceApplyRMSProp = _applied("ResourceApplyRMSProp", _rmsprop, 3)
ResourceSparseApplyAdadelta = _applied("ResourceSparseApplyAdadelta", _adadelta, 3)
ResourceSparseApplyAdagrad = _applied("ResourceSparseApplyAdagrad", _adagrad, 2)
ResourceSparseApplyAdagradDA = _applied("ResourceSparseApplyAdagradDA", _adagrad_da, 3)
ResourceSparseApplyAdagradV2 = _applied("ResourceSparseApplyAdagradV2", _adagrad_v2, 2)
ResourceSparseApplyCenteredRMSProp = _applied("ResourceSparseApplyCenteredRMSProp", _centered_rmsprop, 4)
ResourceSparseApplyFtrl = _applied("ResourceSparseApplyFtrl", _ftrl, 3)
ResourceSparseApplyFtrlV2 = _applied("ResourceSparseApplyFtrlV2", _ftrl_v2, 3)
ResourceSparseApplyKerasMomentum = _applied("ResourceSparseApplyKerasMomentum", _keras_momentum, 2)
ResourceSparseApplyMomentum = _applied("ResourceSparseApplyMomentum", _momentum, 2)
ResourceSparseApplyProximalAdagrad = _applied("ResourceSparseApplyProximalAdagrad", _proximal_adagrad, 2)
ResourceSparseApplyProximalGradientDescent = _applied("ResourceSparseApplyProximalGradientDescent", _proximal_rows, 1)
ResourceSparseApplyRMSProp = _applied("ResourceSparseApplyRMSProp", _rmsprop, 3)
