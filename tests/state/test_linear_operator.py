"""Linear operators agree with TensorFlow's: values, gradients, operators, hints and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfcompat as tf
from tests import oracle
from tests.conformance import linear_operator
from tests.tolerance import GRADIENT, is_close

# Where TensorFlow's code slips: the operator, the question, and why ours is another answer.
FAULTS = {
    ("full, complex", "assert_non_singular"): "compares complex numbers by size",
    ("adjoint", "assert_non_singular"): "compares complex numbers by size",
    ("triangle, complex", "assert_non_singular"): "compares complex numbers by size",
    ("diag, batch", "a lower triangle times it"): "forgets the batch of the diagonal",
    ("scaled, batch", "times a diagonal"): "forgets that the multipliers are a batch",
    ("scaled, batch", "a diagonal times it"): "forgets that the multipliers are a batch",
    ("scaled, batch", "solved for a diagonal"): "forgets that the multipliers are a batch",
    ("scaled, complex", "inverse"): "says that the inverse of a complex multiple is self-adjoint",
    ("low rank", "assert_self_adjoint"): "calls itself for ever",
    ("low rank, known", "assert_self_adjoint"): "calls itself for ever",
    ("inversion, known", "assert_self_adjoint"): "compares rounded numbers exactly",
    ("composition, tall", "cond"): "the smallest singular value is 0, but for roundings",
}

RECORD = oracle.load("linear_operator")


def differences(got: Any, want: Any) -> list[str]:
    """Where an answer is not TensorFlow's."""
    if isinstance(want, dict) and "array" in want and isinstance(got, dict) and "array" in got:
        one, other = oracle.decoded_array(got["array"]), oracle.decoded_array(want["array"])
        if one.dtype != other.dtype or one.shape != other.shape:
            return [f"{one.dtype}{one.shape} is not {other.dtype}{other.shape}"]
        return [] if is_close(one, other, GRADIENT).all() else [f"{one.tolist()} is not {other.tolist()}"]
    if isinstance(want, dict) and isinstance(got, dict) and want.keys() == got.keys():
        return [f"{key}: {told}" for key in want for told in differences(got[key], want[key])]
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        return [told for one, other in zip(got, want, strict=True) for told in differences(one, other)]
    return [] if got == want else [f"{got} is not {want}"]


def as_parameter(name):
    """`name`, where "full, batch" is a variant of "full": the thorough run has the variants."""
    return pytest.param(name, marks=pytest.mark.thorough if ", " in name else ())


@pytest.mark.parametrize("name", [as_parameter(name) for name in linear_operator.OPERATORS])
def test_answers_are_those_of_tensorflow(name):
    got, want = linear_operator.answers(tf, name), RECORD[name]
    assert got.keys() == want.keys()
    told = {question: differences(got[question], want[question]) for question in want if (name, question) not in FAULTS}
    assert {question: found for question, found in told.items() if found} == {}


def test_faults_are_none_here():
    for name, question in FAULTS:
        assert differences(linear_operator.answer(tf, name, question), RECORD[name][question])
    doubled = tf.linalg.LinearOperatorScaledIdentity(2, [2.0, 3.0]) @ tf.linalg.LinearOperatorDiag([1.0, -1.0])
    assert doubled.diag_part().numpy().tolist() == [[2.0, -2.0], [3.0, -3.0]]
    inverse = tf.linalg.LinearOperatorScaledIdentity(2, tf.constant(1 - 2j)).inverse()
    assert inverse.is_self_adjoint is None
    assert inverse.solve(tf.constant([[1j], [1.0]])).numpy().tolist() == [[2 + 1j], [1 - 2j]]


def test_variables_stay_live_and_are_tracked():
    scale = tf.Variable([1.0, 2.0])
    operator = tf.linalg.LinearOperatorDiag(scale)
    scale.assign([3.0, 4.0])
    assert operator.matvec([1.0, 1.0]).numpy().tolist() == [3.0, 4.0]
    assert [variable is scale for variable in operator.trainable_variables] == [True]
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(operator.solvevec([1.0, 1.0]))
    assert tape.gradient(y, scale).numpy().tolist() == pytest.approx([-1 / 9, -1 / 16])


def test_in_a_function():
    @tf.function
    def solved(matrix, right):
        operator = tf.linalg.LinearOperatorFullMatrix(matrix, is_self_adjoint=True, is_positive_definite=True)
        return operator.solvevec(right), operator.log_abs_determinant(), operator.cholesky().to_dense()

    solution, size, root = solved(tf.constant([[4.0, 2.0], [2.0, 5.0]]), tf.constant([2.0, 9.0]))
    assert solution.numpy().tolist() == pytest.approx([-0.5, 2.0])
    assert size.numpy() == pytest.approx(2.7725887)
    assert root.numpy().tolist() == [[2.0, 0.0], [1.0, 2.0]]


@pytest.mark.parametrize(
    ("made", "error"),
    [
        (lambda of: of.LinearOperatorFullMatrix([1.0, 2.0]), ValueError),
        (lambda of: of.LinearOperatorFullMatrix([[1, 2]]), TypeError),
        (lambda of: of.LinearOperatorFullMatrix([[1.0]], is_positive_definite=True, is_non_singular=False), ValueError),
        (lambda of: of.LinearOperatorFullMatrix([[1.0]], is_self_adjoint=True, is_square=False), ValueError),
        (lambda of: of.LinearOperatorDiag(1.0), ValueError),
        (lambda of: of.LinearOperatorDiag([1.0], is_self_adjoint=False), ValueError),
        (lambda of: of.LinearOperatorDiag([1.0], is_square=False), ValueError),
        (lambda of: of.LinearOperatorIdentity(-1), ValueError),
        (lambda of: of.LinearOperatorIdentity(2.5), TypeError),
        (lambda of: of.LinearOperatorIdentity(2, is_self_adjoint=False), ValueError),
        (lambda of: of.LinearOperatorZeros(2, is_non_singular=True), ValueError),
        (lambda of: of.LinearOperatorZeros(2, 3), ValueError),
        (lambda of: of.LinearOperatorScaledIdentity(2, 1.0, is_square=False), ValueError),
        (lambda of: of.LinearOperatorLowerTriangular([[1.0]], is_square=False), ValueError),
        (lambda of: of.LinearOperatorToeplitz([1.0, 2.0], [1.0], is_square=True), ValueError),
        (lambda of: of.LinearOperatorTridiag([[1.0]], "rows"), ValueError),
        (lambda of: of.LinearOperatorHouseholder([1.0], is_positive_definite=True), ValueError),
        (lambda of: of.LinearOperatorPermutation([0.5]), TypeError),
        (lambda of: of.LinearOperatorPermutation([0, 0]), ValueError),
        (lambda of: of.LinearOperatorComposition([]), ValueError),
        (lambda of: of.LinearOperatorBlockDiag([]), ValueError),
        (lambda of: of.LinearOperatorInversion(of.LinearOperatorZeros(2)), ValueError),
        (lambda of: of.LinearOperatorLowRankUpdate(of.LinearOperatorIdentity(2), [[1.0]]), ValueError),
        (lambda of: of.LinearOperatorDiag([1.0]).cholesky(), ValueError),
        (lambda of: of.LinearOperatorFullMatrix([[1.0]]).eigvals(), NotImplementedError),
    ],
)
def test_refused(made, error):
    with pytest.raises(error):
        made(tf.linalg)


DEFINITE = tf.linalg.LinearOperatorFullMatrix([[4.0, 1.0], [1.0, 3.0]], is_self_adjoint=True, is_positive_definite=True)
COMPLEX = tf.linalg.LinearOperatorFullMatrix(np.array([[1, 2j], [0, 1]], np.complex64))
COLUMN = tf.constant([[1.0], [2.0]])


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (lambda: tf.matmul(DEFINITE, COLUMN), [[6.0], [7.0]]),
        (lambda: tf.matmul(COLUMN, DEFINITE, adjoint_a=True), [[6.0, 7.0]]),
        (lambda: tf.transpose(COLUMN) @ DEFINITE, [[6.0, 7.0]]),
        (lambda: tf.matmul(np.array([[1, 1j]], np.complex64), COMPLEX, adjoint_b=True), [[3.0, 1j]]),
        (lambda: tf.linalg.matvec(DEFINITE, [1.0, 2.0]), [6.0, 7.0]),
        (lambda: tf.linalg.solve(DEFINITE, [[6.0], [7.0]]), [[1.0], [2.0]]),
        (lambda: tf.linalg.trace(DEFINITE), 7.0),
        (lambda: tf.linalg.det(DEFINITE), 11.0),
        (lambda: tf.linalg.logdet(DEFINITE), 2.3978953),
        (lambda: tf.linalg.diag_part(DEFINITE), [4.0, 3.0]),
        (lambda: tf.matmul(DEFINITE, DEFINITE).to_dense(), [[17.0, 7.0], [7.0, 10.0]]),
        (lambda: tf.linalg.inv(DEFINITE).matmul([[6.0], [7.0]]), [[1.0], [2.0]]),
        (lambda: tf.linalg.inv(COMPLEX, adjoint=True).to_dense(), [[1.0, 0.0], [2j, 1.0]]),
        (lambda: tf.linalg.cholesky(DEFINITE).to_dense(), [[2.0, 0.0], [0.5, 1.6583124]]),
        (lambda: tf.linalg.adjoint(COMPLEX).to_dense(), [[1.0, 0.0], [-2j, 1.0]]),
        (lambda: tf.function(lambda x: tf.matmul(DEFINITE, x))(COLUMN), [[6.0], [7.0]]),
    ],
)
def test_functions_take_operators(found, expected):
    got = found().numpy()
    assert got.shape == np.shape(expected)
    assert np.allclose(got, expected)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tf.matmul(DEFINITE, COLUMN, transpose_a=True), "transposed"),
        (lambda: tf.matmul(DEFINITE, COLUMN, b_is_sparse=True), "sparse"),
        (lambda: tf.linalg.solve(COLUMN, DEFINITE), "needs an operator matrix"),
        (lambda: tf.linalg.cholesky(COMPLEX), "Cholesky"),
        (lambda: tf.linalg.logdet(COMPLEX), "is_positive_definite"),
        (lambda: tf.linalg.eigvalsh(DEFINITE), "unsupported type"),
    ],
)
def test_functions_refuse_operators(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_condition_of_a_self_adjoint_operator_follows_its_eigenvalues():
    matrix = tf.constant([[4.0, 1.0], [1.0, 3.0]])
    with tf.GradientTape() as tape:
        tape.watch(matrix)
        condition = tf.linalg.LinearOperatorFullMatrix(matrix, is_self_adjoint=True).cond()
    assert np.allclose(tape.gradient(condition, matrix), [[0.0788214, 0.0], [1.1034989, -0.4729281]], atol=1e-5)


def test_operators_of_open_sizes_may_be_square_or_not():
    squares = []

    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def product(matrix):
        operator = tf.linalg.LinearOperatorFullMatrix(matrix)
        tall = tf.linalg.LinearOperatorFullMatrix(matrix, is_square=False)
        squares.append((operator.is_square, (operator @ operator).is_square, operator.H.is_square, tall.is_square))
        return operator.to_dense()

    assert product(tf.constant([[1.0, 2.0], [3.0, 4.0]])).numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert set(squares) == {(None, None, None, False)}


def test_block_diagonal_operators_take_lists():
    blocks = [tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0]]), tf.linalg.LinearOperatorFullMatrix([[1.0], [2.0]])]
    tall = tf.linalg.LinearOperatorBlockDiag(blocks)
    assert [part.numpy().tolist() for part in tall.matmul([tf.ones([2, 1]), tf.ones([1, 1])])] == [
        [[3.0]],
        [[1.0], [2.0]],
    ]
    found = tall.matvec([tf.ones([1]), tf.ones([2])], adjoint=True)
    assert [part.numpy().tolist() for part in found] == [[1.0, 2.0], [3.0]]
    square = tf.linalg.LinearOperatorBlockDiag([tf.linalg.LinearOperatorDiag([2.0, 4.0]), DEFINITE])
    found = square.solvevec([tf.ones([2]), tf.constant([6.0, 7.0])])
    assert np.allclose(np.stack(found), [[0.5, 0.25], [1.0, 2.0]])
    with pytest.raises(ValueError, match="axis -2"):
        square.matmul([tf.ones([3, 1]), tf.ones([2, 1])])


def test_tridiagonal_operators_solve_batches():
    operator = tf.linalg.LinearOperatorTridiag([[1.0, 2.0, 0.0], [3.0, 4.0, 5.0], [0.0, 1.0, 2.0]])
    right = tf.reshape(tf.range(12.0), (2, 1, 3, 2))
    for adjoint in (False, True):
        back = tf.matmul(operator.to_dense(), operator.solve(right, adjoint), adjoint_a=adjoint)
        assert np.allclose(back, right, atol=1e-5)
    parts = tf.linalg.LinearOperatorTridiag(([1.0, 2.0, 0.0], [3.0, 4.0, 5.0], [0.0, 1.0, 2.0]), "sequence")
    assert np.allclose(parts.solve(right), operator.solve(right))


def test_reflection_without_an_axis_is_the_identity():
    assert tf.linalg.LinearOperatorHouseholder([0.0, 0.0]).to_dense().numpy().tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_composition_of_one_operator_keeps_its_hints():
    assert tf.linalg.LinearOperatorComposition([DEFINITE]).is_self_adjoint
    assert tf.linalg.LinearOperatorComposition([COMPLEX]).is_self_adjoint is None


OPEN = {
    "diag": (lambda x: tf.linalg.LinearOperatorDiag(x), [2, 3, 3]),
    "full": (lambda x: tf.linalg.LinearOperatorFullMatrix(x[..., None] * x[..., None, :]), [2, 3, 3]),
    "triangle": (lambda x: tf.linalg.LinearOperatorLowerTriangular(x[..., None] * x[..., None, :]), [2, 3, 3]),
    "identity": (lambda x: tf.linalg.LinearOperatorIdentity(3, batch_shape=tf.shape(x)[:1]), [2, 3, 3]),
    "scaled": (lambda x: tf.linalg.LinearOperatorScaledIdentity(3, x[:, 0]), [2, 3, 3]),
}


@pytest.mark.parametrize("name", OPEN)
def test_operators_of_open_sizes_have_sizes_as_tensors(name):
    make, dims = OPEN[name]

    def sizes(x):
        operator = make(x)
        return tf.concat(
            [
                operator.shape_tensor(),
                operator.batch_shape_tensor(),
                [operator.range_dimension_tensor(), operator.domain_dimension_tensor()],
            ],
            0,
        )

    x = tf.constant([[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]])
    for spec in ([None, 3], [None, None]) if name != "scaled" else ([None, 3],):
        function = tf.function(sizes, input_signature=[tf.TensorSpec(spec, tf.float32)])
        assert function(x).numpy().tolist() == [*dims, dims[0], *dims[1:]]
        dataset = tf.data.Dataset.from_generator(lambda: iter([x]), output_signature=tf.TensorSpec(spec, tf.float32))
        assert next(iter(dataset.map(sizes))).numpy().tolist() == [*dims, dims[0], *dims[1:]]


def test_a_triangle_is_singular_where_its_diagonal_is_zero():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Singular operator:  Diagonal contained zero values"):
        tf.linalg.LinearOperatorLowerTriangular([[1.0, 0.0], [0.0, 0.0]]).assert_non_singular()
    tf.linalg.LinearOperatorLowerTriangular([[1.0, 0.0], [0.0, 1e-30]]).assert_non_singular()
    tf.linalg.LinearOperatorLowerTriangular([[1.0, 5.0], [1.0, -2.0]]).assert_non_singular()
