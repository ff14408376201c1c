"""Every public function is in the list of cases, or exempt with a reason, and every case has its function."""

from __future__ import annotations

import types

from tests import oracle
from tests.cases import SUBJECTS
from tests.cases.dtype import Symbol
from tests.conformance.exemption import EXEMPT, OWN, PLANNED
from tests.conformance.table import ROWS, is_present, tf
from tests.signature import public_objects


def public_functions() -> dict[str, object]:
    """The functions in the public modules of `tf`."""
    return {
        name: found
        for name, found in public_objects(tf, tf.__name__)
        if isinstance(found, types.FunctionType) and name.partition(".")[0] not in OWN
    }


def test_every_public_function_has_a_case() -> None:
    covered = {id(Symbol(name).resolve(tf)) for name in ROWS if is_present(name) and not name.startswith("Tensor.")}
    functions = {
        name: found
        for name, found in public_functions().items()
        if not is_method(name) and name not in EXEMPT and id(found) not in covered
    }
    assert not functions, f"in neither the cases nor EXEMPT: {sorted(functions)}"


def is_method(name: str) -> bool:
    """Whether the owner of the name is a class."""
    owner = name.rpartition(".")[0]
    return bool(owner) and isinstance(Symbol(owner).resolve(tf), type)


def test_every_case_has_its_function() -> None:
    missing = [name for name in ROWS if not is_present(name) and name not in PLANNED]
    assert not missing, f"in the cases, but not public: {missing}"


def test_exemptions_name_what_exists() -> None:
    functions = public_functions()
    assert [name for name in EXEMPT if name not in functions] == []
    assert [name for name in PLANNED if name not in ROWS or is_present(name)] == []
    assert all(EXEMPT.values())
    assert all(PLANNED.values())


def test_every_case_is_recorded() -> None:
    for name, rows in ROWS.items():
        for subject, row in rows:
            for example in row.examples():
                assert repr(example) in oracle.load(subject), f"{name}: run python -m tests.golden.record"


def test_every_record_has_its_case() -> None:
    for subject, rows in SUBJECTS.items():
        known = {repr(example) for row in rows for example in row.examples()}
        lost = oracle.load(subject).keys() - known
        assert not lost, f"{subject}: run python -m tests.golden.record {subject}"
