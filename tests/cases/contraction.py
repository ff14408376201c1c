"""Products that sum over paired axes, and the solvers of small linear systems."""

from __future__ import annotations

from tests.cases.dtype import COMPLEX, FLOATING, NUMERIC, PRECISE
from tests.cases.recipe import arrays, case, each, refused, tensor

MATRIX_LEFT = [(2, 3), (0, 3), (2, 0), (4, 2, 3), (2, 3), (2, 1, 2, 3)]
MATRIX_RIGHT = [(3, 4), (3, 2), (0, 4), (4, 3, 2), (5, 3, 2), (3, 3, 2)]
MULTIPLIED = (*FLOATING, "int32", "int64", *COMPLEX)
LINEAR = (*PRECISE, *COMPLEX)
PAIR = (("i,i->", (3,), (3,)), ("ij,jk->ik", (2, 3), (3, 4)), ("bij,bjk->bik", (2, 2, 3), (2, 3, 2)))
MORE_PAIRS = (
    ("i,j->ij", (2,), (3,)),
    ("ij,ij->", (2, 3), (2, 3)),
    ("bqhd,bkhd->bhqk", (2, 2, 2, 3), (2, 3, 2, 3)),
    ("...ij,jk->...ik", (2, 2, 3), (3, 2)),
    ("...ij,...jk->...ik", (2, 2, 3), (3, 2)),
    ("ij,jk", (2, 3), (3, 4)),
    ("ab,cb->ac", (2, 3), (4, 3)),
    ("ij,kl->jl", (2, 3), (2, 2)),
)
SINGLE = (("ij->ji", (2, 3)), ("ii->i", (3, 3)), ("ii->", (3, 3)), ("ij->j", (2, 3)), ("ijk->ki", (2, 3, 2)))

CASES = [
    case("matmul", arrays(MATRIX_LEFT, MULTIPLIED), arrays(MATRIX_RIGHT)),
    case(
        "matmul",
        arrays([(3, 2), (2, 3, 2)], (*FLOATING, "int32", *COMPLEX)),
        arrays([(3, 4), (2, 3, 2)]),
        transpose_a=True,
    ),
    case("matmul", arrays([(2, 3), (2, 2, 3)], (*FLOATING, *COMPLEX)), arrays([(4, 3), (4, 3)]), transpose_b=True),
    case("matmul", arrays((3, 2)), arrays((4, 3)), transpose_a=True, transpose_b=True),
    case("matmul", arrays((3, 2), COMPLEX), arrays((3, 4)), adjoint_a=True),
    case("matmul", arrays((2, 3), COMPLEX), arrays((4, 3)), adjoint_b=True),
    case("matmul", [[1.0, 2.0]], arrays((2, 2))),
    case("matmul", arrays((2, 3), "bfloat16"), arrays((3, 4), "float32")),
    case("matmul", arrays((2, 3), "float32"), arrays((3, 4), "bfloat16")),
    refused("matmul", arrays((2, 2, 3), "bfloat16"), arrays((2, 3, 4), "float32")),
    case("linalg.matvec", arrays((2, 3), "bfloat16"), arrays((3,), "float32")),
    case("tensordot", arrays((2, 2, 3), "float32"), arrays((3, 4), "bfloat16"), 1),
    case("linalg.matvec", arrays([(2, 3), (2, 2, 3)], (*FLOATING, *COMPLEX)), arrays([(3,), (2, 3)])),
    case("linalg.matvec", arrays((3, 2)), arrays((3,)), transpose_a=True),
    *(case("einsum", equation, arrays(a, FLOATING), arrays(b)) for equation, a, b in PAIR),
    *(case("einsum", equation, arrays(a), arrays(b)) for equation, a, b in MORE_PAIRS),
    *(case("einsum", equation, arrays(a)) for equation, a in SINGLE),
    case("einsum", "i,i->", arrays((3,), COMPLEX), arrays((3,))),
    case("einsum", "ij,jk,kl->il", arrays((2, 3)), arrays((3, 2)), arrays((2, 2))),
    case("tensordot", arrays((2, 3), (*FLOATING, "int32")), arrays((3, 4)), 1),
    case("tensordot", arrays((2, 3, 4)), arrays((4, 3, 2)), each([[1, 2], [1, 0]], [[-1], [0]])),
    case("tensordot", arrays((2, 3)), arrays((2, 3)), each(0, 2)),
    case("linalg.matrix_transpose", arrays([(2, 3), (2, 3, 2)], NUMERIC), conjugate=each(False, True)),
    case("linalg.adjoint", arrays([(2, 3), (2, 3, 2)], (*FLOATING, *COMPLEX))),
    case("linalg.band_part", arrays([(3, 4), (2, 3, 3)], (*NUMERIC, "bool")), each(-1, 0, 1), each(0, -1, 2)),
    case("linalg.diag", arrays([(3,), (2, 3), (1,)], NUMERIC)),
    case("linalg.diag", arrays((3,)), k=each(1, -1, 0), padding_value=each(0, 5)),
    case("linalg.diag", arrays((2, 0)), k=each(2, -1, 0), padding_value=5),
    case("linalg.diag_part", arrays([(3, 3), (2, 3), (2, 3, 2)], NUMERIC)),
    case("linalg.diag_part", arrays((3, 4)), k=each(1, -1, (0, 1))),
    case("linalg.set_diag", arrays([(3, 3), (2, 3, 4)], NUMERIC), arrays([(3,), (2, 3)])),
    case("linalg.tensor_diag", arrays([(3,), (2, 2)], PRECISE)),
    case("linalg.tensor_diag_part", arrays([(3, 3), (2, 2, 2, 2)], PRECISE)),
    case("linalg.cross", arrays([(3,), (2, 3)], FLOATING), arrays([(3,), (2, 3)])),
    case("linalg.inv", arrays([(3, 3), (2, 2, 2), (1, 1)], LINEAR, "well_conditioned"), adjoint=each(False, True)),
    case("linalg.det", arrays([(3, 3), (2, 2, 2), (1, 1)], LINEAR, "well_conditioned")),
    case("linalg.slogdet", arrays([(3, 3), (2, 2, 2)], PRECISE, "well_conditioned")),
    case("linalg.logdet", arrays([(3, 3), (2, 2, 2)], PRECISE, "positive_definite")),
    case("linalg.cholesky", arrays([(3, 3), (2, 2, 2), (1, 1)], LINEAR, "positive_definite")),
    case(
        "linalg.solve",
        arrays([(3, 3), (2, 2, 2)], LINEAR, "well_conditioned"),
        arrays([(3, 2), (2, 2, 1)]),
        adjoint=each(False, True),
    ),
    case(
        "linalg.triangular_solve",
        arrays([(3, 3), (2, 2, 2)], LINEAR, "well_conditioned"),
        arrays([(3, 2), (2, 2, 1)]),
        lower=each(True, False),
        adjoint=each(False, True),
    ),
    case("linalg.cholesky_solve", arrays((3, 3), PRECISE, "well_conditioned"), arrays((3, 2))),
    case("linalg.lstsq", arrays((4, 2), PRECISE), arrays((4, 1))),
    case("linalg.expm", arrays([(2, 2)], PRECISE, "unit")),
    case("linalg.eigvalsh", arrays([(3, 3), (2, 2, 2)], PRECISE, "positive_definite")),
    case("linalg.svd", arrays([(3, 2), (2, 3)], PRECISE), compute_uv=False),
    case("linalg.qr", arrays([(3, 2), (3, 3), (2, 2, 2)], PRECISE)),
    case("linalg.pinv", arrays([(3, 2), (2, 3), ((2, 2, 2), "well_conditioned")], PRECISE)),
    case("linalg.matrix_rank", arrays([(3, 2), (2, 3), (2, 2, 2)], PRECISE), tol=each(None, 1.0)),
    case("linalg.normalize", arrays([(3, 4), (2, 3)], PRECISE), axis=each(None, 1)),
    refused("matmul", arrays((2, 3)), arrays([(2, 3), (3,), ()])),
    refused("matmul", arrays((3,)), arrays((3, 2))),
    refused("matmul", arrays((2, 3)), arrays((3, 2), "float64")),
    refused("matmul", arrays((2, 3), "bool"), arrays((3, 2), "bool")),
    refused("matmul", arrays((2, 2, 3)), arrays((3, 3, 2))),
    refused("matmul", arrays((3, 2)), arrays((3, 2)), transpose_a=True, adjoint_a=True),
    refused("einsum", each("ij,jk->ik", "ijk,jk->i", "ij"), arrays((2, 3)), arrays((2, 3))),
    refused("einsum", "ij,jk->ix", arrays((2, 3)), arrays((3, 3))),
    refused("tensordot", arrays((2, 3)), arrays((2, 3)), each(1, [[0], [1]])),
    refused("linalg.inv", arrays((2, 3))),
    refused("linalg.inv", tensor([[1.0, 2.0], [2.0, 4.0]], "float32")),
    refused("linalg.solve", tensor([[1.0, 2.0], [2.0, 4.0]], "float32"), arrays((2, 1))),
    refused("linalg.solve", arrays((3, 3)), arrays((2, 1))),
    refused("linalg.cholesky", arrays((2, 3))),
    refused("linalg.band_part", arrays((3,)), 0, 0),
    refused("linalg.band_part", arrays((3, 3)), 5, 0),
    refused("linalg.set_diag", arrays((3, 3)), arrays((2,))),
]
