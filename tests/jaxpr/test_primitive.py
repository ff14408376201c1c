"""The names and parts of jaxprs that the package relies on are those of the installed JAX."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from tfcompat._jaxpr.primitive import (
    Name,
    called,
    constants,
    equations,
    inner,
    literal,
    name_of,
    names,
)
from tfcompat._jaxpr.tracing import traced

INT = jax.ShapeDtypeStruct((), np.int32)
FLAG = jax.ShapeDtypeStruct((), np.bool_)
VECTOR = jax.ShapeDtypeStruct((4,), np.float32)
MATRIX = jax.ShapeDtypeStruct((4, 4), np.float32)
IMAGE = jax.ShapeDtypeStruct((1, 4, 4, 1), np.float32)


def solve(matrix, vector):
    return lax.custom_linear_solve(lambda x: matrix @ x, vector, lambda _, b: b, symmetric=True)


def window(combine):
    return lambda x: lax.reduce_window(x, np.float32(0), combine, (2,), (1,), "VALID")


# How JAX is asked for each of the names, in terms of its public functions.
ASKED = {
    Name.ABS: (lax.abs, INT),
    Name.ADD: (lax.add, INT, INT),
    Name.AND: (lax.bitwise_and, INT, INT),
    Name.ARGMAX: (jnp.argmax, VECTOR),
    Name.ARGMIN: (jnp.argmin, VECTOR),
    Name.BROADCAST_IN_DIM: (lambda x: jnp.broadcast_to(x, (2, 3)), INT),
    Name.CHOLESKY: (jnp.linalg.cholesky, MATRIX),
    Name.CLAMP: (lax.clamp, INT, INT, INT),
    Name.COMPLEX: (lax.complex, VECTOR, VECTOR),
    Name.COND: (lambda which, x: lax.cond(which, lax.neg, lax.abs, x), FLAG, INT),
    Name.CONV_GENERAL_DILATED: (lambda x, w: lax.conv(x, w, (1, 1), "SAME"), IMAGE, IMAGE),
    Name.CONVERT_ELEMENT_TYPE: (lambda x: x.astype(np.float32), INT),
    Name.CUMLOGSUMEXP: (lax.cumlogsumexp, VECTOR),
    Name.CUMMAX: (lax.cummax, VECTOR),
    Name.CUMMIN: (lax.cummin, VECTOR),
    Name.CUMPROD: (jnp.cumprod, VECTOR),
    Name.CUMSUM: (jnp.cumsum, VECTOR),
    Name.CUSTOM_JVP_CALL: (jax.nn.relu, VECTOR),
    Name.CUSTOM_LINEAR_SOLVE: (solve, MATRIX, VECTOR),
    Name.DIV: (lax.div, INT, INT),
    Name.DOT_GENERAL: (jnp.matmul, MATRIX, MATRIX),
    Name.EIG: (jnp.linalg.eig, MATRIX),
    Name.EIGH: (jnp.linalg.eigh, MATRIX),
    Name.EQ: (lax.eq, INT, INT),
    Name.FFT: (jnp.fft.fft, VECTOR),
    Name.GE: (lax.ge, INT, INT),
    Name.GT: (lax.gt, INT, INT),
    Name.INTEGER_POW: (lambda x: x**3, VECTOR),
    Name.JIT: (jax.jit(lax.neg), INT),
    Name.LE: (lax.le, INT, INT),
    Name.LT: (lax.lt, INT, INT),
    Name.LU: (jax.scipy.linalg.lu, MATRIX),
    Name.MAX: (lax.max, INT, INT),
    Name.MIN: (lax.min, INT, INT),
    Name.MUL: (lax.mul, INT, INT),
    Name.NE: (lax.ne, INT, INT),
    Name.NEG: (lax.neg, INT),
    Name.NOT: (lax.bitwise_not, INT),
    Name.OR: (lax.bitwise_or, INT, INT),
    Name.QR: (jnp.linalg.qr, MATRIX),
    Name.REDUCE_AND: (jnp.all, FLAG),
    Name.REDUCE_MAX: (jnp.max, VECTOR),
    Name.REDUCE_MIN: (jnp.min, VECTOR),
    Name.REDUCE_OR: (jnp.any, FLAG),
    Name.REDUCE_PROD: (jnp.prod, VECTOR),
    Name.REDUCE_SUM: (jnp.sum, VECTOR),
    Name.REDUCE_WINDOW: (window(lambda x, y: x + 2 * y), VECTOR),
    Name.REDUCE_WINDOW_MAX: (lambda x: lax.reduce_window(x, -np.inf, lax.max, (2,), (1,), "VALID"), VECTOR),
    Name.REDUCE_WINDOW_MIN: (lambda x: lax.reduce_window(x, np.inf, lax.min, (2,), (1,), "VALID"), VECTOR),
    Name.REDUCE_WINDOW_SUM: (window(lax.add), VECTOR),
    Name.REM: (lax.rem, INT, INT),
    Name.RESHAPE: (lambda x: jnp.reshape(x, (2, 8)), MATRIX),
    Name.SCAN: (lambda x: lax.scan(lambda h, row: (h + row, h), np.float32(0), x), VECTOR),
    Name.SCATTER: (lambda x, i: x.at[i].set(1.0), VECTOR, INT),
    Name.SCATTER_ADD: (lambda x, i: x.at[i].add(1.0), VECTOR, INT),
    Name.SCATTER_MAX: (lambda x, i: x.at[i].max(1.0), VECTOR, INT),
    Name.SCATTER_MIN: (lambda x, i: x.at[i].min(1.0), VECTOR, INT),
    Name.SCATTER_MUL: (lambda x, i: x.at[i].multiply(1.0), VECTOR, INT),
    Name.SCATTER_SUB: (lambda x, i: x.at[i].subtract(1.0), VECTOR, INT),
    Name.SELECT_N: (jnp.where, FLAG, INT, INT),
    Name.SIGN: (lax.sign, INT),
    Name.SLICE: (lambda x: lax.slice(x, (1,), (3,)), VECTOR),
    Name.SORT: (jnp.sort, VECTOR),
    Name.SPLIT: (lambda x: lax.split(x, (1, 3)), VECTOR),
    Name.SQUARE: (lax.square, VECTOR),
    Name.SQUEEZE: (lambda x: lax.squeeze(x, (0,)), jax.ShapeDtypeStruct((1,), np.float32)),
    Name.STOP_GRADIENT: (lax.stop_gradient, INT),
    Name.SUB: (lax.sub, INT, INT),
    Name.SVD: (jnp.linalg.svd, MATRIX),
    Name.TRANSPOSE: (jnp.transpose, MATRIX),
    Name.TRIANGULAR_SOLVE: (lambda a, b: jax.scipy.linalg.solve_triangular(a, b), MATRIX, VECTOR),
    Name.WHILE: (lambda x: lax.while_loop(lambda x: x < 9, lambda x: x + x, x), INT),
    Name.XOR: (lax.bitwise_xor, INT, INT),
}


def test_each_name_is_asked_for():
    assert set(ASKED) == set(Name)


@pytest.mark.parametrize("name", Name, ids=str)
def test_jax_uses_the_name(name):
    function, *structs = ASKED[name]
    assert name in names(traced(function, structs))


def only(function, *structs):
    (equation,) = traced(function, structs).eqns
    return equation


@pytest.mark.parametrize(
    ("equation", "inside"),
    [
        (only(jax.jit(lax.neg), INT), [["neg"]]),
        (only(jax.checkpoint(lax.neg), INT), [["neg"]]),
        (only(lambda x: lax.scan(lambda h, row: (h * row, ()), np.float32(1), x)[0], VECTOR), [["mul"]]),
        (only(lambda x: lax.while_loop(lambda x: x < 9, lambda x: x + x, x), INT), [["lt"], ["add"]]),
    ],
    ids=["jit", "checkpoint", "scan", "while"],
)
def test_inner_jaxprs_are_found(equation, inside):
    found = [[name_of(one) for one in body.eqns] for body in inner(equation)]
    assert sorted(found) == sorted(inside)


def test_both_branches_are_found():
    jaxpr = traced(lambda which, x: lax.cond(which, lax.neg, lax.abs, x), [FLAG, INT])
    assert {"neg", "abs"} <= names(jaxpr)


def test_equations_inside_follow_theirs():
    jaxpr = traced(lambda x: jax.jit(lambda x: jax.jit(lax.neg)(x) + 1)(x) * 2, [INT])
    assert [name_of(equation) for equation in equations(jaxpr)] == ["jit", "jit", "neg", "add", "mul"]


def test_a_call_is_entered_with_its_inputs():
    equation = only(jax.jit(lambda x, y: (x * y, y)), INT, VECTOR)
    body = called(equation)
    assert [atom.aval for atom in body.invars] == [atom.aval for atom in equation.invars]
    assert [atom.aval for atom in body.outvars] == [atom.aval for atom in equation.outvars]


@pytest.mark.parametrize("name", [name for name in Name if name not in (Name.JIT, Name.CUSTOM_JVP_CALL)], ids=str)
def test_what_is_no_call_is_not_entered(name):
    function, *structs = ASKED[name]
    found = [equation for equation in equations(traced(function, structs)) if name_of(equation) == name]
    assert [called(equation) for equation in found] == [None] * len(found)


def test_a_function_with_its_own_derivative_is_entered_where_that_is_asked_for():
    equation = next(one for one in equations(traced(jax.nn.relu, [VECTOR])) if name_of(one) == Name.CUSTOM_JVP_CALL)
    assert called(equation) is None
    assert "max" in names(called(equation, frozenset((Name.CUSTOM_JVP_CALL,))))


def test_numbers_are_told_from_variables():
    jaxpr = traced(lambda x: (x + 3, 5), [INT])
    assert [literal(atom) for atom in jaxpr.eqns[0].invars] == [None, 3]
    assert [literal(atom) for atom in jaxpr.outvars] == [None, 5]


def test_arrays_from_outside_are_constants():
    array = jnp.arange(3)
    jaxpr = traced(lambda x: x + array, [INT])
    ((variable, value),) = constants(jaxpr)
    assert variable in jaxpr.eqns[-1].invars
    assert variable not in jaxpr.invars
    assert value.tolist() == [0, 1, 2]


def test_tracing_keeps_64_bits():
    (output,) = traced(lambda x: x * 2, [jax.ShapeDtypeStruct((), np.float64)]).outvars
    assert output.aval.dtype == np.float64
