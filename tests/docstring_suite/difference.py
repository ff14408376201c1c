"""Whether an example does the same on TensorFlow and on tfcompat, and the examples that are known to differ."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

_NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?|nan|inf")
# Addresses, the names of modules, and the numbers of graphs' functions.
_UNCOMPARED = re.compile(r"0x[0-9a-f]+|tensorflow\.python\.[\w.]*?(?=\w+[ '>])|tfcompat\.|tensorflow\.")
_TOLERANCE = 1e-4

_GRAPH = "Graphs and sessions of version 1 are refused."
_FIRST_VERSION = "This function of version 1 is missing."
_PRIVATE = "Private methods are missing."
_LIVE = "It shows the time, the files or the seeds of a run."
# A part of an example, and why examples from it on differ.
PARTS = {
    "tf.Graph()": _GRAPH,
    "compat.v1.Graph": _GRAPH,
    "compat.v1.Session": _GRAPH,
    "tf.queue.": "Queues are refused.",
    "data.experimental.service": "Services of tf.data are refused.",
    "StructuredTensor": "Structured tensors are missing.",
    "feature_column": "Feature columns are refused.",
    "decode_proto": "tf.io.decode_proto is refused.",
    "TFLiteConverter": "TensorFlow Lite is refused.",
    "tf.sysconfig": "There are no kernels to compile.",
    "distribute.experimental.rpc": "Remote procedure calls are refused.",
    "DeviceAssignment": "Assignments of TPUs are refused.",
    "mlir.experimental": "TensorFlow's MLIR is refused: functions have StableHLO.",
    "_to_variant": _PRIVATE,
    "_merge_dims": _PRIVATE,
    "tf.compat.v1.keras": "Keras 2 is missing.",
    "compat.v1.image.extract_glimpse": _FIRST_VERSION,
    "compat.v1.nn.depthwise_conv2d": _FIRST_VERSION,
    "compat.v1.ragged.constant_value": _FIRST_VERSION,
    "compat.v1.strings.split": _FIRST_VERSION,
    "compat.v1.string_split": _FIRST_VERSION,
    ".graph, tf.Graph)": _GRAPH,
    "gfile.glob": _LIVE,
}
# By symbol.
_ONE_TRACE = "Values or ranks that a call gives are open in TensorFlow's trace."
_KERNEL = "These kernels are refused."
NAMES = {
    "tf.Tensor": "Tensors have one class.",
    "tf.Tensor.set_shape": _ONE_TRACE,
    "tf.TensorShape": _ONE_TRACE,
    "tf.ensure_shape": _ONE_TRACE,
    "tf.unstack": "A function that no trace serves for all sizes is traced for each.",
    "tf.autodiff.ForwardAccumulator": "TensorFlow refuses the variables of Keras.",
    "tf.distribute.ReplicaContext._update": _PRIVATE,
    "tf.distribute.ReplicaContext.all_reduce": "TensorFlow waits for ever.",
    "tf.function": "Tensors of loops have other names.",
    "tf.random.Generator": _LIVE,
    "tf.compat.v1.placeholder_with_default": "Its shape is known.",
    "tf.raw_ops.SegmentMaxV2": _KERNEL,
    "tf.raw_ops.SegmentMinV2": _KERNEL,
    "tf.raw_ops.SegmentProdV2": _KERNEL,
    "tf.saved_model.experimental.TrackableResource": "Only tables are resources.",
    "tf.test.experimental.sync_devices": _LIVE,
}


def reason_of(name: str, sources: Sequence[str]) -> str | None:
    """Why one of the examples `sources` of the symbol `name` differs; None if they should agree."""
    found = [reason for part, reason in PARTS.items() if any(part in source for source in sources)]
    return NAMES.get(name, found[0] if found else None)


def difference(expected: Sequence[str], got: Sequence[str]) -> bool:
    """Whether two outcomes differ: in the class of an error, or in the text beyond the last digits of numbers."""
    (kind, text), (other, found) = expected, got
    if kind != other:
        return True
    return kind == "printed" and not _is_same_text(_UNCOMPARED.sub("", text), _UNCOMPARED.sub("", found))


def _is_same_text(one: str, other: str) -> bool:
    words = ["".join(_NUMBER.sub("#", text).split()) for text in (one, other)]
    if words[0] != words[1]:
        return False
    pairs = zip(map(float, _NUMBER.findall(one)), map(float, _NUMBER.findall(other)), strict=True)
    return all(math.isclose(a, b, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE) or str(a) == str(b) for a, b in pairs)
