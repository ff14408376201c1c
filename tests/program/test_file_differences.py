"""Where files differ from TensorFlow's, as the migration guide says (its section on files)."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import tfcompat as tf
from tests.data.format.mutation import damaged, file

JPEG = file("jpeg", "300 500 RGB 2 False 30")


def test_without_simplejpeg_pixels_differ(monkeypatch):
    want = tf.io.decode_jpeg(JPEG).numpy().astype(int)
    monkeypatch.setitem(sys.modules, "simplejpeg", None)
    difference = np.abs(tf.io.decode_jpeg(JPEG).numpy() - want)
    assert 0 < difference.max() <= 5


def test_columns_at_the_edge_of_a_window_are_those_of_the_whole_image():
    part = tf.io.decode_and_crop_jpeg(JPEG, [32, 64, 50, 48]).numpy()
    assert np.array_equal(part, tf.io.decode_jpeg(JPEG).numpy()[32:82, 64:112])


def test_share_of_a_cut_jpeg_file_cannot_be_asked_for():
    with pytest.raises(NotImplementedError, match=r"acceptable_fraction"):
        tf.io.decode_jpeg(JPEG[:5000], acceptable_fraction=0.1)


def test_some_damaged_gif_files_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Image is defective"):
        tf.io.decode_gif(damaged("gif", 1))


def test_schemes_are_those_of_fsspec():
    assert "memory" in tf.io.gfile.get_registered_schemes()
    assert not tf.io.gfile.exists("memory://tfcompat_absent")
