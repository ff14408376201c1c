"""The version of tfcompat itself; `tf.__version__` is that of TensorFlow."""

VERSION = "0.1.0"
