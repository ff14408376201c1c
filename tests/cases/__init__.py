"""The one list of cases: a row per public op, in files by mathematics."""

from __future__ import annotations

from tests.cases import (
    activation,
    arithmetic,
    assertion,
    contraction,
    convolution,
    creation,
    ctc,
    elementwise,
    first_version,
    image,
    image_box,
    image_colour,
    image_quality,
    indexing,
    kernel,
    layout,
    loss,
    matrix,
    network,
    numpy_like,
    operator,
    order,
    position,
    quantization,
    ragged,
    reduction,
    sampling,
    signal,
    sparse,
    special,
    string,
    structure,
)

SUBJECTS = {
    module.__name__.rpartition(".")[2]: module.CASES
    for module in (
        elementwise, arithmetic, reduction, contraction, layout, indexing, order, creation, activation, loss,
        convolution, image, image_box, image_colour, image_quality,
        operator, assertion, structure, signal, special, matrix, ctc, network, string,
        ragged, sparse, first_version, position, sampling, quantization, numpy_like, kernel,
    )
}  # fmt: skip
