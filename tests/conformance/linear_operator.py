"""The linear operators to test, and the calls for each; `tf` is TensorFlow or tfcompat.

An answer is a JSON value: an array as `tests.oracle` encodes it, an operator as its class, hints and
dense matrix, an error as its class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests import oracle

MATRIX = np.array([[4.0, 1.0, 0.5], [0.25, 3.0, -1.0], [0.0, 2.0, 2.5]])
DEFINITE = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.5]])
BATCH = np.stack([MATRIX, DEFINITE + np.eye(3)])
TALL = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 4.0]])
COMPLEX = MATRIX + 1j * np.array([[0.0, 1.0, -0.5], [1.0, 0.5, 0.0], [-2.0, 1.0, 0.0]])
DIAGONAL = np.array([2.0, -3.0, 0.5])
BAND = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0]])
PAIR = np.array([1.5, -2.0])
KNOWN = {"is_self_adjoint": True, "is_positive_definite": True}

Builder = Callable[..., Any]


def _of(name: str, **hints: Any) -> Builder:
    """The class `name`, called with the parameters."""
    return lambda tf, *parts: getattr(tf.linalg, f"LinearOperator{name}")(*parts, **hints)


def _full(tf: Any, matrix: Any, **hints: Any) -> Any:
    return tf.linalg.LinearOperatorFullMatrix(matrix, **hints)


def _joined(name: str, *classes: str, **hints: Any) -> Builder:
    """The class `name` of one operator of each of `classes`."""

    def build(tf: Any, *parts: Any) -> Any:
        operators = [_of(each)(tf, part) for each, part in zip(classes, parts, strict=True)]
        return getattr(tf.linalg, f"LinearOperator{name}")(operators, **hints)

    return build


def _low_rank(**hints: Any) -> Builder:
    def build(tf: Any, base: Any, *update: Any) -> Any:
        return tf.linalg.LinearOperatorLowRankUpdate(tf.linalg.LinearOperatorDiag(base, **KNOWN), *update, **hints)

    return build


def _circulant(name: str, dtype: Any = np.complex128, **hints: Any) -> Builder:
    """The circulant class `name` that works on numbers of `dtype`, called with its spectrum."""
    return lambda tf, spectrum: getattr(tf.linalg, f"LinearOperator{name}")(spectrum, dtype, **hints)


def _triangle(*classes: str, **hints: Any) -> Builder:
    """Blocks of `classes`, row by row."""

    def build(tf: Any, *parts: Any) -> Any:
        supply = iter([_of(each)(tf, part) for each, part in zip(classes, parts, strict=True)])
        rows = [[next(supply) for _ in range(row + 1)] for row in range(2 if len(classes) == 3 else 3)]
        return tf.linalg.LinearOperatorBlockLowerTriangular(rows, **hints)

    return build


# By a name: how the operator is built, and of which arrays.
OPERATORS: dict[str, tuple[Builder, tuple[np.ndarray, ...]]] = {
    "full": (_of("FullMatrix"), (MATRIX,)),
    "full, float32": (_of("FullMatrix"), (MATRIX.astype(np.float32),)),
    "full, known": (_of("FullMatrix", **KNOWN), (DEFINITE,)),
    "full, singular": (_of("FullMatrix", is_non_singular=False), (MATRIX,)),
    "full, batch": (_of("FullMatrix"), (BATCH,)),
    "full, complex": (_of("FullMatrix"), (COMPLEX,)),
    "full, tall": (_of("FullMatrix"), (TALL,)),
    "diag": (_of("Diag"), (DIAGONAL,)),
    "diag, known": (_of("Diag", **KNOWN), (DIAGONAL**2,)),
    "diag, batch": (_of("Diag", is_non_singular=True), (np.stack([DIAGONAL, 1 + DIAGONAL]),)),
    "diag, complex": (_of("Diag"), (DIAGONAL + 1j,)),
    "identity": (lambda tf: tf.linalg.LinearOperatorIdentity(3, dtype=tf.float64), ()),
    "identity, batch": (lambda tf: tf.linalg.LinearOperatorIdentity(3, [2], tf.float64), ()),
    "scaled": (lambda tf, by: tf.linalg.LinearOperatorScaledIdentity(3, by), (np.array(-2.5),)),
    "scaled, batch": (lambda tf, by: tf.linalg.LinearOperatorScaledIdentity(3, by, **KNOWN), (PAIR**2,)),
    "scaled, complex": (lambda tf, by: tf.linalg.LinearOperatorScaledIdentity(3, by), (np.array(1 - 2j),)),
    "zeros": (lambda tf: tf.linalg.LinearOperatorZeros(3, dtype=tf.float64), ()),
    "zeros, tall": (lambda tf: tf.linalg.LinearOperatorZeros(3, 2, [2], tf.float64, False, False, False, False), ()),
    "lower": (_of("LowerTriangular"), (MATRIX,)),
    "lower, batch": (_of("LowerTriangular", is_non_singular=True), (BATCH,)),
    "lower, complex": (_of("LowerTriangular"), (COMPLEX,)),
    "low rank": (_low_rank(), (DIAGONAL**2, TALL, PAIR, TALL[::-1] * 0.5)),
    "low rank, known": (_low_rank(is_diag_update_positive=True), (DIAGONAL**2, TALL, PAIR**2)),
    "low rank, symmetric": (_low_rank(), (DIAGONAL**2, TALL)),
    "toeplitz": (_of("Toeplitz"), (np.array([4.0, 1.0, -0.5]), np.array([4.0, 2.0, 0.25]))),
    "toeplitz, batch": (_of("Toeplitz"), (BATCH[:, 0], BATCH[:, 0] * [1.0, 2.0, 0.25])),
    "tridiag": (_of("Tridiag"), (MATRIX + 3 * np.array([[0.0], [1.0], [0.0]]),)),
    "tridiag, matrix": (_of("Tridiag", diagonals_format="matrix"), (MATRIX * BAND,)),
    "householder": (_of("Householder"), (DIAGONAL,)),
    "householder, batch": (_of("Householder"), (BATCH[:, 1],)),
    "permutation": (_of("Permutation"), (np.array([2, 0, 1], np.int32),)),
    "adjoint": (lambda tf, m: tf.linalg.LinearOperatorAdjoint(_full(tf, m)), (COMPLEX,)),
    "adjoint, tall": (lambda tf, m: tf.linalg.LinearOperatorAdjoint(_full(tf, m)), (TALL,)),
    "inversion": (lambda tf, m: tf.linalg.LinearOperatorInversion(_full(tf, m)), (MATRIX,)),
    "inversion, known": (lambda tf, m: tf.linalg.LinearOperatorInversion(_full(tf, m, **KNOWN)), (DEFINITE,)),
    "composition": (_joined("Composition", "FullMatrix", "Diag"), (MATRIX, DIAGONAL)),
    "composition, batch": (_joined("Composition", "FullMatrix", "LowerTriangular"), (BATCH, MATRIX)),
    "composition, tall": (_joined("Composition", "FullMatrix", "FullMatrix"), (TALL, TALL.T)),
    "block": (_joined("BlockDiag", "FullMatrix", "Diag"), (MATRIX[:2, :2], PAIR[:1])),
    "block, batch": (_joined("BlockDiag", "FullMatrix", "Diag"), (BATCH[:, 1:, 1:], PAIR[:1])),
    "kronecker": (_joined("Kronecker", "FullMatrix", "Diag"), (MATRIX[:2, :2], DIAGONAL)),
    "kronecker, three": (_joined("Kronecker", "Diag", "LowerTriangular", "FullMatrix"), (PAIR, MATRIX, MATRIX[1:, 1:])),
    "circulant": (_circulant("Circulant"), (COMPLEX[2] + 1,)),
    "circulant, complex64": (_of("Circulant"), (COMPLEX[2].astype(np.complex64),)),
    "circulant, real spectrum": (_circulant("Circulant"), (DIAGONAL,)),
    "circulant, real": (_circulant("Circulant", np.float64), (np.fft.fft(DIAGONAL),)),
    "circulant, symmetric": (_circulant("Circulant", np.float32, **KNOWN), (np.float32([4.0, 1.5, 1.5]),)),
    "circulant, batch": (_circulant("Circulant", is_non_singular=True), (np.fft.fft(BATCH[:, 0]),)),
    "circulant 2d": (_circulant("Circulant2D"), (np.fft.fft2(TALL),)),
    "circulant 2d, batch": (_circulant("Circulant2D", np.float64), (np.fft.fft2(np.stack([TALL, TALL * [1.0, 2.0]])),)),
    "circulant 2d, known": (_circulant("Circulant2D", **KNOWN), (TALL**2,)),
    "circulant 3d": (_circulant("Circulant3D", np.float64), (np.fft.fftn(MATRIX[:2, :2, None] * DIAGONAL),)),
    "triangle": (_triangle("FullMatrix", "FullMatrix", "Diag"), (MATRIX, TALL.T, PAIR)),
    "triangle, known": (_triangle("Diag", "FullMatrix", "Diag", **KNOWN), (DIAGONAL**2, 0 * TALL.T, PAIR**2)),
    "triangle, batch": (_triangle("LowerTriangular", "FullMatrix", "Diag"), (BATCH, TALL.T, PAIR)),
    "triangle, complex": (_triangle("Diag", "FullMatrix", "FullMatrix"), (DIAGONAL + 1j, TALL.T + 0j, COMPLEX[:2, :2])),
    "triangle, three": (
        _triangle("FullMatrix", "FullMatrix", "Diag", "FullMatrix", "FullMatrix", "LowerTriangular"),
        (MATRIX[:2, :2], MATRIX[:1, :2], PAIR[:1], TALL, TALL[:, :1], MATRIX),
    ),
}  # fmt: skip


def _argument(tf: Any, operator: Any, size: int, columns: int = 2) -> Any:
    array = np.cos(np.arange(size * columns)).reshape(size, columns)
    return tf.cast(array, operator.dtype)


def _columns(tf: Any, operator: Any) -> Any:
    return _argument(tf, operator, int(operator.shape[-1]))


def _rows(tf: Any, operator: Any) -> Any:
    return _argument(tf, operator, int(operator.shape[-2]))


def _hints(tf: Any, operator: Any) -> Any:
    del tf
    return [operator.is_non_singular, operator.is_self_adjoint, operator.is_positive_definite, operator.is_square]


def _shapes(tf: Any, operator: Any) -> Any:
    del tf
    return [operator.shape.as_list(), operator.batch_shape.as_list(), operator.tensor_rank, operator.dtype.name]


def _sizes(tf: Any, operator: Any) -> Any:
    del tf
    return [
        operator.shape_tensor().numpy().tolist(),
        operator.batch_shape_tensor().numpy().tolist(),
        int(operator.tensor_rank_tensor()),
        [int(operator.domain_dimension_tensor()), int(operator.range_dimension_tensor())],
        [int(operator.domain_dimension), int(operator.range_dimension)],
    ]


QUESTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "name": lambda _, a: a.name,
    "hints": _hints,
    "shapes": _shapes,
    "sizes": _sizes,
    "to_dense": lambda _, a: a.to_dense(),
    "diag_part": lambda _, a: a.diag_part(),
    "trace": lambda _, a: a.trace(),
    "determinant": lambda _, a: a.determinant(),
    "log_abs_determinant": lambda _, a: a.log_abs_determinant(),
    "eigvals": lambda _, a: a.eigvals(),
    "cond": lambda _, a: a.cond(),
    "matmul": lambda tf, a: a.matmul(_columns(tf, a)),
    "matmul, adjoint": lambda tf, a: a.matmul(_rows(tf, a), adjoint=True),
    "matmul, adjoint_arg": lambda tf, a: a.matmul(tf.linalg.adjoint(_columns(tf, a)), adjoint_arg=True),
    "matmul, both": lambda tf, a: a.matmul(tf.linalg.adjoint(_rows(tf, a)), adjoint=True, adjoint_arg=True),
    "matmul, batch": lambda tf, a: a.matmul(tf.stack([_columns(tf, a), 2 * _columns(tf, a)])),
    "@": lambda tf, a: a @ _columns(tf, a),
    "matvec": lambda tf, a: a.matvec(_columns(tf, a)[:, 0]),
    "matvec, adjoint": lambda tf, a: a.matvec(_rows(tf, a)[:, 0], adjoint=True),
    "solve": lambda tf, a: a.solve(_rows(tf, a)),
    "solve, adjoint": lambda tf, a: a.solve(_columns(tf, a), adjoint=True),
    "solve, adjoint_arg": lambda tf, a: a.solve(tf.linalg.adjoint(_rows(tf, a)), adjoint_arg=True),
    "solvevec": lambda tf, a: a.solvevec(_rows(tf, a)[:, 0]),
    "add_to_tensor": lambda tf, a: a.add_to_tensor(tf.ones(a.shape, a.dtype)),
    "adjoint": lambda _, a: a.adjoint(),
    "H": lambda _, a: a.H,
    "inverse": lambda _, a: a.inverse(),
    "cholesky": lambda _, a: a.cholesky(),
    "times a diagonal": lambda tf, a: a @ tf.linalg.LinearOperatorDiag(_columns(tf, a)[:, 0]),
    "times a matrix": lambda tf, a: a.matmul(tf.linalg.LinearOperatorFullMatrix(_columns(tf, a))),
    "times the identity": lambda tf, a: a.matmul(tf.linalg.LinearOperatorIdentity(a.shape[-1], dtype=a.dtype)),
    "times a scaled identity": lambda tf, a: a.matmul(
        tf.linalg.LinearOperatorScaledIdentity(a.shape[-1], tf.cast(2.5, a.dtype))
    ),
    "times zeros": lambda tf, a: a.matmul(tf.linalg.LinearOperatorZeros(a.shape[-1], dtype=a.dtype)),
    "times its adjoint": lambda _, a: a.matmul(a, adjoint_arg=True),
    "a diagonal times it": lambda tf, a: tf.linalg.LinearOperatorDiag(_rows(tf, a)[:, 0]).matmul(a),
    "the identity times it": lambda tf, a: tf.linalg.LinearOperatorIdentity(a.shape[-2], dtype=a.dtype).matmul(a),
    "a lower triangle times it": lambda tf, a: tf.linalg.LinearOperatorLowerTriangular(
        tf.eye(a.shape[-2], dtype=a.dtype)
    ).matmul(a),
    "solved for a diagonal": lambda tf, a: a.solve(tf.linalg.LinearOperatorDiag(_rows(tf, a)[:, 0])),
    "solved for a matrix": lambda tf, a: a.solve(tf.linalg.LinearOperatorFullMatrix(_rows(tf, a))),
    "assert_non_singular": lambda _, a: a.assert_non_singular(),
    "assert_positive_definite": lambda _, a: a.assert_positive_definite(),
    "assert_self_adjoint": lambda _, a: a.assert_self_adjoint(),
    "first of the batch": lambda _, a: a[0],
    "matmul, another dtype": lambda tf, a: a.matmul(tf.zeros([int(a.shape[-1]), 1], tf.bfloat16)),
    "matmul, too few rows": lambda tf, a: a.matmul(_columns(tf, a)[:-1]),
    "solve, too few rows": lambda tf, a: a.solve(_rows(tf, a)[:-1]),
    "matvec, too few": lambda tf, a: a.matvec(_columns(tf, a)[:-1, 0]),
    "matmul of an operator that does not fit": lambda tf, a: a.matmul(
        tf.linalg.LinearOperatorIdentity(a.shape[-1] + 1, dtype=a.dtype)
    ),
}

# Of these the gradient with respect to the parameters is asked, too.
GRADIENTS = (
    "to_dense",
    "diag_part",
    "trace",
    "determinant",
    "log_abs_determinant",
    "matmul",
    "solve",
    "matmul, adjoint",
)


def answer(tf: Any, name: str, question: str) -> Any:
    """The answer to the question."""
    return _told(tf, _asked(tf, name, question))


def answers(tf: Any, name: str) -> dict[str, Any]:
    """All answers of one operator, by question. They are read when all are there, so that one program computes them."""
    found = {question: _asked(tf, name, question) for question in QUESTIONS}
    if any(array.dtype.kind in "fc" for array in OPERATORS[name][1]):
        found |= _slopes(tf, name)
    return {question: _told(tf, value) for question, value in found.items()}


def _built(tf: Any, name: str) -> tuple[Any, list[Any]]:
    """The operator called `name`, and its parameters."""
    build, arrays = OPERATORS[name]
    parts = [tf.constant(array) for array in arrays]
    return build(tf, *parts), parts


def _asked(tf: Any, name: str, question: str) -> Any:
    """The answer to the question: a value, an operator with its dense matrix, or an error."""
    try:
        found = QUESTIONS[question](tf, _built(tf, name)[0])
    except Exception as error:
        return error
    return (found, _dense(found)) if isinstance(found, tf.linalg.LinearOperator) else found


def _dense(operator: Any) -> Any:
    """The dense matrix, not yet read, or an error."""
    try:
        return operator.to_dense()
    except Exception as error:
        return error


def _slopes(tf: Any, name: str) -> dict[str, Any]:
    """The gradients of the values with respect to each parameter, or errors."""
    build, arrays = OPERATORS[name]
    parts, values = [tf.constant(array) for array in arrays], {}
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(parts)
        for question in GRADIENTS:
            try:
                values[question] = QUESTIONS[question](tf, build(tf, *parts))
            except Exception as error:
                values[question] = error
    return {
        f"gradient of {question}": value if isinstance(value, Exception) else _slope(tf, tape, value, parts)
        for question, value in values.items()
    }


def _slope(tf: Any, tape: Any, value: Any, parts: list[Any]) -> Any:
    try:
        found = tape.gradient(value, parts)
    except Exception as error:
        return error
    return [None if each is None else tf.convert_to_tensor(each) for each in found]


def _told(tf: Any, found: Any) -> Any:
    """The answer as JSON."""
    if isinstance(found, Exception):
        return {"error": _public_class(tf, found)}
    if isinstance(found, tuple):
        operator, dense = found
        told = _told(tf, dense)
        return told if "error" in told else _told_of_operator(tf, operator, told)
    if isinstance(found, list):
        return [_told(tf, each) for each in found]
    if tf.is_tensor(found):
        return {"array": oracle.encoded_array(tf.convert_to_tensor(found).numpy())}
    return found


def _told_of_operator(tf: Any, operator: Any, dense: Any) -> dict[str, Any]:
    return {"class": type(operator).__name__, "hints": _hints(tf, operator), "dense": dense}


def _public_class(tf: Any, error: Exception) -> str:
    """The nearest class of the error that users can name."""
    return next(
        cls.__name__
        for cls in type(error).__mro__
        if getattr(tf.errors, cls.__name__, None) is cls or cls.__module__ == "builtins"
    )
