"""`tf.keras`: Keras, on its TensorFlow backend, which runs on tfcompat.

The import makes `import tensorflow` import tfcompat, as `python -m tfcompat` does, for Keras to import it.
"""

import sys as _sys

from tfcompat._dropin.alias import install_as_tensorflow as _install_as_tensorflow
from tfcompat._dropin.keras import load_keras as _load_keras

_install_as_tensorflow()
_sys.modules[__name__] = _load_keras()
