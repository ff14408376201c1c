"""The fingerprint of a SavedModel: hashes of its parts, in the file `fingerprint.pb`."""

from __future__ import annotations

import functools
import os
import secrets
from collections.abc import Iterable
from typing import Any, Self

import numpy as np

from tfcompat._core.system.error import DataLossError
from tfcompat._core.types.dtype import string
from tfcompat._data.format.descriptor import message_classes
from tfcompat._data.format.stored_message import decoding_errors
from tfcompat._data.storage.saving import local_path
from tfcompat._ops.text import hashing

FINGERPRINT_FILENAME = "fingerprint.pb"
# The version of the algorithm, TensorFlow 2.21's, and the number of bits of an identifier.
_PRODUCER, _IDENTIFIER = 4, 128
_MASK, _FACTOR, _SHIFT = 0xFFFFFFFFFFFFFFFF, 0xC6A4A7935BD1E995, 47
_CALLS = ("PartitionedCall", "StatefulPartitionedCall")
_HASHES = (
    "saved_model_checksum",
    "graph_def_program_hash",
    "signature_def_hash",
    "saved_object_graph_hash",
    "checkpoint_hash",
)


class Fingerprint:
    """The fingerprint of a SavedModel.

    Attributes:
      saved_model_checksum: of the file `saved_model.pb`.
      graph_def_program_hash: of the nodes of the graph, without those of functions.
      signature_def_hash: of the signatures.
      saved_object_graph_hash: of the functions among the objects.
      checkpoint_hash: of the index of the variables.
      version: the message with the version of the algorithm as `producer`.

    Source: TF 2.21 `tf.saved_model.experimental.Fingerprint`.
    """

    def __init__(
        self,
        saved_model_checksum: int | None = None,
        graph_def_program_hash: int | None = None,
        signature_def_hash: int | None = None,
        saved_object_graph_hash: int | None = None,
        checkpoint_hash: int | None = None,
        version: Any = None,
    ) -> None:
        self.saved_model_checksum = saved_model_checksum
        self.graph_def_program_hash = graph_def_program_hash
        self.signature_def_hash = signature_def_hash
        self.saved_object_graph_hash = saved_object_graph_hash
        self.checkpoint_hash = checkpoint_hash
        self.version = version

    @classmethod
    def from_proto(cls, proto: Any) -> Self:
        """The fingerprint in a message `FingerprintDef`, or in its bytes. Raises ValueError for another message.

        Source: TF 2.21 `tf.saved_model.experimental.Fingerprint.from_proto`.
        """
        message = _messages()["FingerprintDef"].FromString(proto) if isinstance(proto, bytes) else proto
        try:
            return cls(**{name: getattr(message, name) for name in _HASHES}, version=message.version)
        except AttributeError as bad:
            raise ValueError(f"Given proto could not be deserialized as fingerprint.{bad}") from None

    def __eq__(self, other: object) -> bool:
        try:
            return all(getattr(self, name) == getattr(other, name) for name in _HASHES)
        except AttributeError:
            return False

    __hash__ = None  # pyright: ignore[reportAssignmentType]  # as in TensorFlow

    def __str__(self) -> str:
        return "\n".join(["SavedModel Fingerprint", *[f"  {name}: {getattr(self, name)}" for name in _HASHES]])

    def __repr__(self) -> str:
        return f"Fingerprint({', '.join(str(getattr(self, name)) for name in _HASHES)})"

    def singleprint(self) -> str:
        """The hashes except that of the file, as one string. Raises ValueError if one is missing.

        Source: TF 2.21 `tf.saved_model.experimental.Fingerprint.singleprint`.
        """
        found = [getattr(self, name) for name in _HASHES[1:]]
        if not all(isinstance(value, int) and 0 <= value <= _MASK for value in found):
            raise ValueError(f"Encounted invalid fingerprint values when constructing singleprint: {self!r}")
        return "/".join(map(str, found))


def read_fingerprint(export_dir: Any) -> Fingerprint:
    """The fingerprint of the SavedModel in the folder `export_dir`.

    Raises: FileNotFoundError if it has none; RuntimeError if it is corrupted.
    Source: TF 2.21 `tf.saved_model.experimental.read_fingerprint`.
    """
    folder = local_path(os.fspath(export_dir), "tf.saved_model.experimental.read_fingerprint")
    try:
        with decoding_errors(FINGERPRINT_FILENAME), open(os.path.join(folder, FINGERPRINT_FILENAME), "rb") as file:
            return Fingerprint.from_proto(file.read())
    except OSError as bad:
        raise FileNotFoundError(
            f"SavedModel Fingerprint Error: Could not find fingerprint in directory: {folder}: {bad}"
        ) from None
    except DataLossError as bad:
        raise RuntimeError(
            f"SavedModel Fingerprint Error: Could not read fingerprint from fingerprint.pb file in directory: {folder}:"
            f" {bad}"
        ) from None


@functools.cache
def _messages() -> dict[str, type[Any]]:
    hashes = [(name, number, "uint64") for number, name in enumerate(_HASHES, 1)]
    return message_classes(
        "tensorflow/core/protobuf/fingerprint.proto",
        {
            "VersionDef": (("producer", 1, "int32"), ("min_consumer", 2, "int32"), ("bad_consumers", 3, "int32*")),
            "FingerprintDef": (*hashes, ("version", 6, "VersionDef"), ("uuid", 7, "string")),
        },
    )


def fingerprint_bytes(model: Any, index: bytes) -> bytes:
    """The content of the file `fingerprint.pb` of the message `model`, whose variables have the index `index`.

    It has an identifier of its own at each call, as in TensorFlow.
    """
    graph = model.meta_graphs[0]
    functions = graph.object_graph_def.concrete_functions
    hashes = (
        _hash(_content(model)),
        _hash(_content(_regular(graph.graph_def))),
        _joined(part for name in sorted(graph.signature_def) for part in (name, graph.signature_def[name])),
        _joined(part for name in sorted(functions, key=_number) for part in (_without_number(name), functions[name])),
        _hash(index),
    )
    found = _messages()["FingerprintDef"](**dict(zip(_HASHES, hashes, strict=True)))
    found.version.producer = _PRODUCER
    found.uuid = str(secrets.randbits(_IDENTIFIER))
    return found.SerializeToString(deterministic=True)


def _regular(graph: Any) -> Any:
    """The graph without parts that differ between two times that it is saved."""
    found = type(graph)(node=graph.node, library={}, versions={})
    for node in found.node:
        if node.op in _CALLS:
            node.attr["f"].func.name = _without_number(node.attr["f"].func.name)
            if "config_proto" in node.attr:
                node.attr["config_proto"].s = b""
        elif node.op == "Const" and node.attr["dtype"].type == string.as_datatype_enum:
            node.attr["value"].Clear()
    return found


def _number(name: str) -> int:
    """The number at the end of the name of a function; -1 without one."""
    end = name.rpartition("_")[2]
    return int(end) if end.isdecimal() else -1


def _without_number(name: str) -> str:
    head, line, end = name.rpartition("_")
    return head + line if end.isdecimal() else name


def _content(part: Any) -> bytes:
    return part.encode() if isinstance(part, str) else part.SerializeToString(deterministic=True)


def _hash(content: bytes) -> int:
    with np.errstate(over="ignore"):
        return int(hashing.fingerprint(np.frombuffer(content, np.uint8).reshape(1, -1))[0])


def _joined(parts: Iterable[Any]) -> int:
    """The hash of a sequence of strings and messages."""
    found = 0
    for part in parts:
        found = _mixed(found, _hash(_content(part)))
    return found


def _mixed(one: int, other: int) -> int:
    """Two hashes as one: TensorFlow's `FingerprintCat64`."""
    word = other * _FACTOR & _MASK
    found = one ^ _FACTOR ^ ((word ^ word >> _SHIFT) * _FACTOR & _MASK)
    found = found * _FACTOR & _MASK
    found = (found ^ found >> _SHIFT) * _FACTOR & _MASK
    return found ^ found >> _SHIFT
