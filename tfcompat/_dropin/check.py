"""`python -m tfcompat check`: lists the TensorFlow symbols that programs use and tfcompat lacks."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tfcompat._dropin.scan import Use, uses_in
from tfcompat._dropin.support import Gap, gap_at

_SUFFIXES = (".py", ".ipynb")


class Report(NamedTuple):
    """The TensorFlow symbols in files.

    Attributes:
      files: the number of files that were read.
      symbols: the TensorFlow symbols in them, without `tf.`.
      missing: the places with symbols that tfcompat lacks, in order.
      gaps: the gap for each of those symbols.
      unread: the path of each unreadable file, and the reason.
    """

    files: int
    symbols: set[str]
    missing: list[Use]
    gaps: dict[str, Gap]
    unread: list[tuple[Path, str]]

    def by_namespace(self) -> dict[str, list[str]]:
        """The missing symbols by namespace, namespaces with most symbols first."""
        groups: dict[str, list[str]] = {}
        for symbol in sorted(self.gaps):
            groups.setdefault(_public(self.gaps[symbol].namespace), []).append(symbol)
        return dict(sorted(groups.items(), key=lambda group: -len(group[1])))


def check(arguments: Sequence[str]) -> int:
    """Prints the symbols that the files named by `arguments` need and tfcompat lacks.

    Returns the exit status: 1 if a symbol is missing or a file cannot be read as Python, else 0.
    """
    parser = argparse.ArgumentParser(
        prog="python -m tfcompat check",
        description="Lists the TensorFlow symbols that programs use and tfcompat lacks. The programs are not run.",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("paths", nargs="+", metavar="PATH", type=Path, help="a .py or .ipynb file, or a folder of them")
    options = parser.parse_args(arguments)
    report = report_on(options.paths)
    print(json.dumps(_as_json(report), indent=2) if options.json else "\n".join(_as_text(report)))
    return 1 if report.missing or report.unread else 0


def report_on(paths: Sequence[Path]) -> Report:
    """The report on the files in `paths`, and in folders among them. Each file is read once."""
    files: dict[Path, Path] = {}
    unread: list[tuple[Path, str]] = []
    uses: list[Use] = []
    read = 0
    for path in paths:
        found = list(_files_in(path)) if path.is_dir() else [path]
        if not found:
            unread.append((path, f"it holds no {' or '.join(_SUFFIXES)} file"))
        for file in found:
            files.setdefault(file.resolve(), file)
    for file in files.values():
        try:
            uses += uses_in(file)
            read += 1
        except (OSError, SyntaxError, ValueError) as error:
            unread.append((file, str(error)))
    symbols = {use.symbol for use in uses} - {""}
    gaps = {symbol: gap for symbol in symbols if (gap := gap_at(symbol)) is not None}
    missing = sorted(use for use in uses if use.symbol in gaps)
    return Report(read, symbols, missing, gaps, unread)


def _files_in(folder: Path) -> Iterator[Path]:
    """The programs in a folder, in order, without those in hidden folders and virtual environments."""
    for place, folders, names in os.walk(folder):
        parent = Path(place)
        folders[:] = sorted(name for name in folders if name[0] != "." and not (parent / name / "pyvenv.cfg").exists())
        yield from (parent / name for name in sorted(names) if name.endswith(_SUFFIXES))


def _as_text(report: Report) -> Iterator[str]:
    for path, reason in report.unread:
        yield f"{path}: cannot be read: {reason}"
    for use in report.missing:
        gap = report.gaps[use.symbol]
        yield f"{use.place()}: {_public(use.symbol)}{f': {gap.advice}' if gap.is_refused else ''}"
    groups = report.by_namespace()
    yield f"{_counted(report.files, 'file')} {'names' if report.files == 1 else 'name'} {_verdict(report)}"
    for namespace, symbols in groups.items():
        yield f"  {namespace}: {_counted(len(symbols), 'symbol')}{_shared_advice(symbols, report.gaps)}"


def _verdict(report: Report) -> str:
    if not report.symbols:
        return "no symbols of TensorFlow."
    rest = f"; tfcompat lacks {len(report.gaps)}:" if report.gaps else ", and tfcompat has all of them."
    return f"{_counted(len(report.symbols), 'symbol')} of TensorFlow{rest}"


def _shared_advice(symbols: Sequence[str], gaps: Mapping[str, Gap]) -> str:
    """The advice for a namespace that is missing as a whole; advice for refused symbols is printed at each use."""
    found = {gaps[symbol].advice for symbol in symbols if not gaps[symbol].is_refused}
    return f". {found.pop()}" if len(found) == 1 and found != {""} else ""


def _as_json(report: Report) -> dict[str, object]:
    return {
        "files": report.files,
        "symbols": len(report.symbols),
        "missing": [
            {
                "path": str(use.path),
                "cell": use.cell or None,
                "line": use.line,
                "symbol": _public(use.symbol),
                "namespace": _public(report.gaps[use.symbol].namespace),
                "advice": report.gaps[use.symbol].advice or None,
            }
            for use in report.missing
        ],
        "namespaces": {namespace: len(symbols) for namespace, symbols in report.by_namespace().items()},
        "unread": [{"path": str(path), "reason": reason} for path, reason in report.unread],
    }


def _public(name: str) -> str:
    return f"tf.{name}" if name else "tf"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
