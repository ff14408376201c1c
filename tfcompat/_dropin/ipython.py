"""The extension for IPython and Jupyter notebooks: `%load_ext tfcompat`."""

from __future__ import annotations

from typing import Any

from tfcompat._dropin.alias import install_as_tensorflow
from tfcompat._dropin.child_process import give_alias_to_children


def load_ipython_extension(ipython: Any) -> None:
    """Makes `import tensorflow` in later cells, and in processes that they start, import tfcompat.

    Raises: ImportError if the real TensorFlow has been imported already.
    """
    del ipython
    install_as_tensorflow()
    give_alias_to_children()
