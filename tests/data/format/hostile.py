"""Inputs that are broken at random, and TensorFlow's outcomes for them.

TFCOMPAT_SUBJECT=tensorflow python -m tests.data.format.hostile     records the outcomes again, under TensorFlow
"""

from __future__ import annotations

import gzip
import hashlib
import os
import pathlib
import random
import sys
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

from tests.data.format.wire import entry, example, feature, field, sequence
from tests.on_tensorflow import stand_in

if __name__ == "__main__":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    stand_in.install()
import tfcompat as tf

RECORD = pathlib.Path(__file__).with_name("hostile.bin.gz")
COUNT = 10_000
# Compressed before, since other versions of zlib compress to other bytes.
RECORDS = bytes.fromhex(
    "000000000000000029039807d8ea82a20300000000000000b099490e6162636e57f1212400000000000000422b804d616263"
    "616263616263616263616263616263616263616263616263616263616263616263b4e2b721"
)
GZIP = bytes.fromhex(
    "1f8b0800000000000203636080004de619ec375e352d6286f237ccf4e44b4c4ace0bffa8a8021572d26ef0050a11445b1e6d"
    "570400df7b4a7357000000"
)
ZLIB = bytes.fromhex(
    "789c636080004de619ec375e352d6286f237ccf4e44b4c4ace0bffa8a8021572d26ef0050a11445b1e6d570400988c19e6"
)
GOOD = example({"i": ("int64", [7]), "f": ("float", [0.5, -1.0]), "s": ("bytes", [b"abc"]), "v": ("int64", [300, -1])})
FEATURES = {
    "i": tf.io.FixedLenFeature([], tf.int64, 0),
    "f": tf.io.FixedLenFeature([2], tf.float32, [1.0, 2.0]),
    "s": tf.io.VarLenFeature(tf.string),
    "v": tf.io.RaggedFeature(tf.int64),
    "w": tf.io.FixedLenSequenceFeature([], tf.float32, allow_missing=True),
}
EXAMPLES = (
    GOOD,
    example({"v": ("int64", [1, 2, 3]), "w": ("float", [2.0] * 40), "i": ("int64", [2**40])}),
    example({"s": ("bytes", [b"", b"x" * 200]), "i": ("int64", [-5])}),
    field(
        1,
        entry(b"f", feature("float", [1.0, 3.0], is_packed=False))
        + entry(b"i", feature("int64", [4], is_packed=False)),
    ),
    GOOD + GOOD,
)
CONTEXT = {"i": tf.io.FixedLenFeature([], tf.int64, 0), "f": tf.io.VarLenFeature(tf.float32)}
LISTS = {
    "d": tf.io.FixedLenSequenceFeature([2], tf.int64, allow_missing=True),
    "v": tf.io.VarLenFeature(tf.int64),
    "r": tf.io.RaggedFeature(tf.float32),
}
SEQUENCES = (
    sequence({"i": ("int64", [3]), "f": ("float", [1.0])}, {"d": [("int64", [1, 2]), ("int64", [3, 400])]}),
    sequence({}, {"v": [("int64", [1]), ("int64", []), ("int64", [2, 3])], "r": [("float", [1.5]), ("float", [])]}),
)
CSV_DEFAULTS = [tf.int32, [0.5], tf.constant(["d"])]
CSV = (
    b"1,2.5,a\n-3,,bc\r\n40,1e3,\n",
    b'1,2.5,"a"\n2,"3","b,""c""\nd"\n3,NA,"e"\r4,4,f',
    b'"1",.5,x\n"2","-7.25",\n\n3,nan,"y z"\n4,inf,""\n',
)


def mutant(data: bytes, draw: random.Random) -> bytes:
    """`data` with one to three changes: bytes changed, removed, repeated or inserted, or the end cut off."""
    found = bytearray(data)
    for _ in range(1 + draw.getrandbits(2) % 3):
        place = draw.getrandbits(32) % max(len(found), 1)
        size = 1 + draw.getrandbits(3)
        match draw.getrandbits(3):
            case 0 | 1 | 2 if found:
                found[place] ^= 1 << draw.getrandbits(3)
            case 3 if found:
                found[place] = (0, 1, 0x7F, 0x80, 0xFF, 0x0A, 0x12, 0x1A)[draw.getrandbits(3)]
            case 4:
                del found[place : place + size]
            case 5:
                found[place:place] = found[place : place + size]
            case 6:
                found[place:place] = draw.getrandbits(8 * size).to_bytes(size, "little")
            case _:
                del found[place:]
    return bytes(found)


def parts(value: Any) -> list[Any]:
    """The arrays of tensors, of sparse and ragged tensors, and of structures of them."""
    if isinstance(value, dict):
        return [part for key in sorted(value) for part in parts(value[key])]
    if isinstance(value, tuple | list):
        return [part for each in value for part in parts(each)]
    if isinstance(value, tf.SparseTensor):
        return parts([value.indices, value.values, value.dense_shape])
    if isinstance(value, tf.RaggedTensor):
        return parts([value.flat_values, *value.nested_row_splits])
    return [value.numpy()] if isinstance(value, tf.Tensor) else [value]


def described(value: Any) -> bytes:
    """A value as bytes."""
    return repr([plain(part) for part in parts(value)]).encode()


def plain(part: Any) -> Any:
    """An array as Python values."""
    if not hasattr(part, "dtype"):
        return part
    return part.dtype.name, part.shape, part.tolist() if part.dtype == object else part.tobytes()


def outcome(call: Callable[[], Any]) -> bytes:
    """The value of a call, or the class of its error."""
    try:
        return described(call())
    except (tf.errors.OpError, UnicodeDecodeError) as error:
        # TensorFlow cannot decode the message of an error that quotes bytes.
        name = "InvalidArgumentError" if isinstance(error, UnicodeDecodeError) else type(error).__name__
        return name.encode()


def of_example(data: bytes) -> bytes:
    """The outcomes of one example alone, and among others."""
    single = outcome(lambda: tf.io.parse_single_example(data, FEATURES))
    batch = outcome(lambda: tf.io.parse_example([GOOD] * 12 + [data] + [GOOD] * 13, FEATURES))
    return single + batch


def of_sequence(data: bytes) -> bytes:
    """The outcome of a sequence example in a batch."""
    return outcome(lambda: tf.io.parse_sequence_example([SEQUENCES[0], data], CONTEXT, LISTS))


def of_file(data: bytes, compression_type: str) -> bytes:
    """The records of a file, and the class of the error that ends it."""
    found: list[Any] = []
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        try:
            found += tf.compat.v1.io.tf_record_iterator(file.name, compression_type)
        except tf.errors.OpError as error:
            found.append(type(error).__name__)
        except UnicodeDecodeError:
            found.append("DataLossError")
    return repr(found).encode()


def of_csv(data: bytes, header: bool) -> bytes:
    """The records of a CSV file, and the classes of errors in their places."""
    found: list[Any] = []
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        records = tf.data.experimental.CsvDataset(file.name, CSV_DEFAULTS, header=header, na_value="NA")
        iterator = iter(records)
        while True:
            try:
                found.append(described(next(iterator)))
            except StopIteration:
                return repr(found).encode()
            except (tf.errors.InvalidArgumentError, UnicodeDecodeError):
                found.append("InvalidArgumentError")


def of_string(data: bytes) -> bytes:
    """The outcomes of a compressed string."""
    kinds = ("GZIP", "ZLIB")
    return b"".join(outcome(lambda kind=kind: tf.io.decode_compressed([data], kind)) for kind in kinds)


# Kind of input: the inputs to be broken, and the outcome of one.
KINDS: dict[str, tuple[Sequence[bytes], Callable[[bytes], bytes]]] = {
    "example": (EXAMPLES, of_example),
    "sequence": (SEQUENCES, of_sequence),
    "records": ((RECORDS,), lambda data: of_file(data, "")),
    "gzip": ((GZIP, GZIP + GZIP), lambda data: of_file(data, "GZIP")),
    "zlib": ((ZLIB,), lambda data: of_file(data, "ZLIB")),
    "string": ((GZIP, ZLIB), of_string),
    "csv": (CSV, lambda data: of_csv(data, header=False)),
    "csv_header": (CSV, lambda data: of_csv(data, header=True)),
}


def inputs(kind: str, count: int) -> list[bytes]:
    """The first `count` inputs of a kind."""
    draw = random.Random(kind)
    bases = KINDS[kind][0]
    return [mutant(bases[k % len(bases)], draw) for k in range(count)]


def digest(found: bytes) -> int:
    """One byte for an outcome."""
    return hashlib.md5(found).digest()[0]


def recorded() -> dict[str, bytes]:
    """The digests of TensorFlow's outcomes, by kind."""
    content = gzip.decompress(RECORD.read_bytes())
    return {kind: content[k * COUNT : (k + 1) * COUNT] for k, kind in enumerate(KINDS)}


def main() -> None:
    """Records the digests of the outcomes."""
    found = b""
    for kind, (_, of) in KINDS.items():
        found += bytes(digest(of(data)) for data in inputs(kind, COUNT))
        print(f"{kind}: recorded from {tf.__name__}", file=sys.stderr)
    RECORD.write_bytes(gzip.compress(found, mtime=0))


if __name__ == "__main__":
    main()
