"""`tf.saved_model.experimental`: fingerprints, tables, and options for variables."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._saved_model.fingerprint import Fingerprint, read_fingerprint
from tfcompat._saved_model.options import VariablePolicy
from tfcompat._saved_model.resource import TrackableResource

__all__ = ["Fingerprint", "TrackableResource", "VariablePolicy", "read_fingerprint"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
