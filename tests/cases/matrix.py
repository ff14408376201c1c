"""Factors, functions and systems of matrices of several kinds."""

from __future__ import annotations

from tests.cases.dtype import COMPLEX, PRECISE, Symbol
from tests.cases.recipe import arrays, case, each, refused, tensor

SOLVABLE = (*PRECISE, *COMPLEX)
SQUARE = [((2, 3, 3), "well_conditioned"), ((4, 4), "well_conditioned"), ((1, 1), "positive")]
FACTORS = arrays([((2, 3, 3), "well_conditioned"), ((3, 3), "well_conditioned")], SOLVABLE)
ORDERS = tensor([[1, 0, 2], [2, 0, 1]], "int32")
ORDER = tensor([1, 2, 0], "int32")
LOOKUP = {"gradient": "LookupError", "second_order": "LookupError"}
DIAGONALS = arrays([((2, 3, 4), "positive"), ((3, 3), "positive")], SOLVABLE)
RIGHT = arrays([(2, 4, 2), (3, 1)])
ROW = arrays((2, 4), fill="positive")
BANDS = arrays([((2, 3, 4), "positive"), ((2, 3), "positive")], SOLVABLE)
BISECTION = {"gradient": "TensorFlow's goes through bisection", "second_order": "as the gradient"}

CASES = [
    case("linalg.lu", arrays(SQUARE, SOLVABLE), each(Symbol("int32"), Symbol("int64"))).without(**LOOKUP),
    case("linalg.lu_solve", arrays((2, 3, 3), SOLVABLE, "well_conditioned"), ORDERS, arrays([(2, 3, 2), (3, 1)])),
    case("linalg.lu_solve", arrays((3, 3), fill="well_conditioned"), ORDER, arrays((2, 3, 2)), each(False, True)),
    case("linalg.lu_matrix_inverse", arrays((2, 3, 3), SOLVABLE, "well_conditioned"), ORDERS),
    case("linalg.lu_matrix_inverse", arrays((3, 3), fill="well_conditioned"), ORDER, each(False, True)),
    case("linalg.lu_reconstruct", arrays((2, 3, 3), SOLVABLE, "well_conditioned"), ORDERS),
    case("linalg.lu_reconstruct", arrays((3, 3), fill="well_conditioned"), ORDER, each(False, True)),
    case("linalg.sqrtm", arrays([((2, 3, 3), "positive_definite"), ((1, 1), "positive"), (0, 2, 2)], SOLVABLE)),
    case("linalg.sqrtm", tensor([[-4.0, 0.0], [0.0, 1.0]], "float32")),
    case("linalg.sqrtm", tensor([[1.0, 3.0], [0.0, 4.0]], "float64")),
    case("linalg.logm", arrays([((2, 3, 3), "positive_definite"), ((3, 3), "well_conditioned")], COMPLEX)),
    case("linalg.logm", tensor([[4.0, 1.0], [0.0, 4.0]], "complex128")),
    case("linalg.tridiagonal_solve", DIAGONALS, RIGHT),
    case("linalg.tridiagonal_solve", arrays((2, 3, 4), fill="positive"), arrays((2, 4))),
    case(
        "linalg.tridiagonal_solve",
        arrays((3, 4), COMPLEX, "positive"),
        arrays((2, 4)),
        "compact",
        True,
        each(False, True),
    ),
    case("linalg.tridiagonal_solve", (ROW, ROW, ROW), arrays((2, 4, 1)), "sequence"),
    case(
        "linalg.tridiagonal_solve",
        (arrays((3,)), arrays((4,), fill="positive"), arrays((3,))),
        arrays((4,)),
        "sequence",
    ),
    case("linalg.tridiagonal_solve", arrays((2, 4, 4), fill="well_conditioned"), arrays((2, 4, 1)), "matrix"),
    case(
        "linalg.tridiagonal_solve",
        tensor([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 1.0]], "float32"),
        arrays((3, 1)),
    ),
    case(
        "linalg.tridiagonal_solve",
        tensor([[0.0], [2.0], [0.0]], "float32"),
        arrays((1, 2)),
        partial_pivoting=each(True, False),
    ),
    case("linalg.tridiagonal_matmul", DIAGONALS, RIGHT),
    case("linalg.tridiagonal_matmul", (ROW, ROW, ROW), arrays((2, 4, 1)), "sequence"),
    case("linalg.tridiagonal_matmul", arrays((2, 4, 4)), arrays((2, 4, 1)), "matrix"),
    case(
        "linalg.banded_triangular_solve",
        BANDS,
        arrays([(2, 4, 2), (3, 1), (3, 2)]),
        each(True, False),
        each(False, True),
    ),
    case("linalg.banded_triangular_solve", arrays((2, 4), fill="positive"), arrays((3, 4, 2))),
    case("linalg.eigh_tridiagonal", arrays((5,)), arrays((4,))).without(**BISECTION),
    case("linalg.eigh_tridiagonal", arrays((5,), "float64"), arrays((4,), "float64")).without(**BISECTION),
    case(
        "linalg.eigh_tridiagonal",
        tensor([2.0, 1.0, 3.0, 0.5], "float32"),
        [1.0, 2.0, 0.5],
        select="i",
        select_range=each((1, 2), (0, 0)),
    ).without(**BISECTION),
    case(
        "linalg.eigh_tridiagonal",
        tensor([2.0, 1.0, 3.0, 0.5], "float32"),
        [1.0, 2.0, 0.5],
        select="v",
        select_range=each((-1.0, 2.0), (10.0, 11.0)),
    ).without(**BISECTION),
    case("linalg.eigh_tridiagonal", tensor([2.0, 1.0, 3.0], "complex64"), tensor([1j, 2.0 + 1j], "complex64")).without(
        **BISECTION
    ),
    refused("linalg.lu", arrays((2, 3))),
    refused("linalg.lu", tensor([[1.0, 2.0], [2.0, 4.0]], "float32")),
    refused("linalg.lu_solve", arrays((3, 3)), ORDER, arrays((3,))),
    case("linalg.lu_solve", arrays((3, 3), fill="well_conditioned"), tensor([1, 2, 0], "int64"), arrays((3, 1))),
    refused("linalg.lu_reconstruct", arrays((3,)), ORDER),
    refused("linalg.sqrtm", arrays((2, 3))),
    refused("linalg.logm", arrays((2, 2))),
    refused("linalg.logm", arrays((2, 3), "complex64")),
    refused("linalg.tridiagonal_solve", arrays((3, 4)), arrays((4, 1)), "other"),
    refused("linalg.tridiagonal_solve", arrays((2, 4)), arrays((4, 1))),
    refused("linalg.tridiagonal_solve", arrays((3, 4)), arrays((3, 1))),
    refused("linalg.tridiagonal_solve", arrays((3, 4), "int32"), arrays((4, 1), "int32")),
    refused("linalg.tridiagonal_solve", arrays((3, 4)), arrays((4, 1)), partial_pivoting=False, perturb_singular=True),
    refused("linalg.tridiagonal_matmul", arrays((3, 4)), arrays((4,))),
    refused("linalg.tridiagonal_matmul", arrays((3, 4)), arrays((4, 1)), "other"),
    refused("linalg.banded_triangular_solve", arrays((3, 4)), arrays((3, 2))),
    refused("linalg.eigh_tridiagonal", arrays((3,)), arrays((2,)), select="z"),
    refused("linalg.eigh_tridiagonal", arrays((3,)), arrays((2,)), select="i"),
    refused("linalg.eigh_tridiagonal", arrays((3,)), arrays((3,))),
]
