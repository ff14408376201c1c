"""Decoding without the optional packages."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import tfcompat as tf
from tests.data.format.mutation import file
from tfcompat._data.format import requirement

JPEG = file("jpeg", "300 500 RGB 2 False 30")
PNG = file("png", "7 9 2 8 0 0")


def test_missing_pillow_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    assert requirement.simplejpeg() is not None
    with pytest.raises(ImportError, match=r"pillow.*tfcompat\[data\]"):
        tf.io.decode_png(PNG)


def test_pillow_replaces_simplejpeg(monkeypatch):
    want = tf.io.decode_jpeg(JPEG).numpy().astype(int)
    accurate = tf.io.decode_jpeg(JPEG, dct_method="INTEGER_ACCURATE").numpy()
    half = tf.io.decode_jpeg(JPEG, ratio=2).numpy().astype(int)
    monkeypatch.setitem(sys.modules, "simplejpeg", None)
    found = tf.io.decode_jpeg(JPEG).numpy()
    assert np.array_equal(found, accurate)
    assert 0 < np.abs(found - want).max() <= 5
    assert np.abs(tf.io.decode_jpeg(JPEG, ratio=2).numpy() - half).max() <= 5
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.decode_jpeg(JPEG[:1000])
    with pytest.raises(NotImplementedError, match=r"fancy_upscaling=False needs the package simplejpeg"):
        tf.io.decode_jpeg(JPEG, fancy_upscaling=False)


def test_acceptable_fraction_of_a_cut_file_is_refused():
    assert tf.io.decode_jpeg(JPEG, acceptable_fraction=0.5).shape.as_list() == [300, 500, 3]
    with pytest.raises(NotImplementedError, match=r"acceptable_fraction"):
        tf.io.decode_jpeg(JPEG[:5000], acceptable_fraction=0.5)
