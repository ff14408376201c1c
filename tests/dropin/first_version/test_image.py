"""`tf.compat.v1.image.resize` chooses a method by its number; tests/cases/first_version.py has the methods."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat.compat.v1 import image

IMAGES = np.arange(2 * 4 * 5).reshape(2, 4, 5, 1).astype(np.float32)
METHODS = {
    "BILINEAR": [0.0, 0.7142857, 1.4285715, 2.142857, 2.857143, 3.5714288, 4.0],
    "NEAREST_NEIGHBOR": [0.0, 0.0, 1.0, 2.0, 2.0, 3.0, 4.0],
    "BICUBIC": [0.0, 0.6263482, 1.4461709, 2.1862726, 2.8137274, 3.6587684, 4.1093612],
    "AREA": [1.2500002, 1.8500001, 2.4499996, 3.25, 4.0500007, 4.6499982, 5.250001],
}
ALIGNED = {
    "BILINEAR": [0.0, 0.6666667, 1.3333334, 2.0, 2.6666667, 3.3333335, 4.0],
    "NEAREST_NEIGHBOR": [0.0, 1.0, 1.0, 2.0, 3.0, 3.0, 4.0],
    "BICUBIC": [0.0, 0.5744268, 1.3700992, 2.0, 2.629901, 3.4255733, 4.0],
    "AREA": [1.6666667, 2.1666667, 2.6666665, 3.666667, 4.1666675, 4.6666656, 5.6666694],
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("rows", "align_corners"), [(METHODS, False), (ALIGNED, True)], ids=["corners", "aligned"])
def test_first_row(method, rows, align_corners):
    resized = image.resize(IMAGES, [3, 7], getattr(image.ResizeMethod, method), align_corners)
    np.testing.assert_allclose(resized.numpy()[0, 0, :, 0], rows[method], rtol=1e-5, atol=1e-6)
    assert image.resize_images is image.resize


def test_image_of_the_size_stays_as_it_is():
    assert image.resize(IMAGES.astype(np.uint8), [4, 5]).dtype is tf.uint8


def test_one_image_and_proportions():
    assert image.resize(IMAGES[0], [2, 2]).shape == [2, 2, 1]
    assert image.resize(IMAGES, [2, 10], preserve_aspect_ratio=True).shape == [2, 2, 2, 1]
    assert image.resize(IMAGES, [2, 2], method="bilinear").shape == [2, 2, 2, 1]


@pytest.mark.parametrize("arguments", [(IMAGES, [2, 2], 9), (IMAGES[0, 0], [2, 2])])
def test_refusals(arguments):
    with pytest.raises(ValueError, match=r"tf\.compat\.v1\.image\.resize: "):
        image.resize(*arguments)
