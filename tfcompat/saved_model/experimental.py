"""`tf.saved_model.experimental`: fingerprints, tables, and options for variables."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._saved_model.messages.fingerprint import Fingerprint, read_fingerprint
from tfcompat._saved_model.objects.options import VariablePolicy
from tfcompat._saved_model.objects.resource import TrackableResource

__all__ = ["Fingerprint", "TrackableResource", "VariablePolicy", "read_fingerprint"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
