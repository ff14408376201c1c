"""Public names are TensorFlow's, and so are the names, order and defaults of their parameters."""

from __future__ import annotations

import enum
from collections import defaultdict

import numpy as np
import pytest

from tests import oracle
from tests.cases.dtype import Symbol
from tests.conformance.exemption import OWN, SIGNATURE
from tests.conformance.table import tf
from tests.signature import every_object, parameters

PUBLIC = dict(every_object(tf, tf.__name__, f"{tf.__name__}.compat.v1"))
CALLABLE = [name for name in PUBLIC if name in oracle.signatures() and oracle.signatures()[name] is not None]
# Functions and classes, these with their methods.
GROUPS: dict[str, list[str]] = defaultdict(list)
for _name in CALLABLE:
    _holder = _name.rpartition(".")[0]
    GROUPS[_holder if isinstance(PUBLIC.get(_holder), type) else _name].append(_name)
# The classes of scalars of NumPy, which TensorFlow hands on.
NUMPYS = [found for found in vars(np).values() if isinstance(found, type) and issubclass(found, np.generic)]
HIDDEN = [["args", "VAR_POSITIONAL"], ["kwargs", "VAR_KEYWORD"]]


@pytest.mark.parametrize("name", GROUPS)
def test_parameters_are_those_of_tensorflow(name: str) -> None:
    for each in GROUPS[name]:
        want, got = oracle.signatures()[each], parameters(PUBLIC[each])
        if want == HIDDEN or each.removeprefix("compat.v1.") in SIGNATURE or is_foreign(each):
            continue
        assert got is not None, f"{each} cannot be read"
        assert [without_kind(entry) for entry in got] == [without_kind(entry) for entry in want], each


def is_foreign(name: str) -> bool:
    """Whether Python or NumPy defines how `name` is called, in TensorFlow as here: that depends on their versions."""
    found, owner = PUBLIC[name], PUBLIC.get(name.rpartition(".")[0])
    is_enum = isinstance(found, enum.EnumType) and type(found).__call__ is enum.EnumType.__call__
    return is_enum or owner in NUMPYS


def without_kind(entry: list[str]) -> tuple[str, ...]:
    """Name and default."""
    return (entry[0], *entry[2:])


def test_public_names_are_those_of_tensorflow() -> None:
    known = oracle.signatures().keys()
    unknown = [name for name in PUBLIC if name not in known and name.partition(".")[0] not in OWN]
    assert [name for name in unknown if not is_member(name)] == []


def is_member(name: str) -> bool:
    """Whether `name` belongs to a class: eager tensors and our tapes have more than TensorFlow's signatures list."""
    holder = name.rpartition(".")[0]
    return bool(holder) and isinstance(Symbol(holder).resolve(tf), type)


def test_exemptions_are_needed() -> None:
    superfluous = [
        name
        for name in SIGNATURE
        if name in PUBLIC
        and [without_kind(entry) for entry in parameters(PUBLIC[name]) or []]
        == [without_kind(entry) for entry in oracle.signatures()[name] or []]
    ]
    assert not superfluous
