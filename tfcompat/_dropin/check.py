"""`python -m tfcompat check`: the support of the TensorFlow symbols in programs, line by line."""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tfcompat._dropin.keras import uses_keras_2
from tfcompat._dropin.scan import Use, uses_in
from tfcompat._dropin.support import Support, removed, support_of

_SUFFIXES = (".py", ".ipynb")
# The states of symbols in the order of the text, with the heading of each.
_HEADINGS = {
    "missing": "missing:",
    "refused": "refused, with an alternative:",
    "removed": "removed by Keras 3, also under TensorFlow 2.16 and later:",
    "differs": "differs from TensorFlow:",
}
# The states that make the exit status 1.
_FAILURES = ("missing", "refused", "removed")


class Report(NamedTuple):
    """The TensorFlow symbols in files.

    Attributes:
      files: the number of files that were read.
      uses: the places of symbols, in order.
      support: the support of each symbol.
      unread: the path of each unreadable file, and the reason.
    """

    files: int
    uses: list[Use]
    support: dict[str, Support]
    unread: list[tuple[Path, str]]

    def totals(self) -> Counter[str]:
        """The number of symbols with each status."""
        return Counter(support.status for support in self.support.values())

    def by_namespace(self, *statuses: str) -> dict[str, list[str]]:
        """The symbols with one of `statuses` by namespace, namespaces with most symbols first."""
        groups: dict[str, list[str]] = {}
        for symbol in sorted(self.support):
            if self.support[symbol].status in statuses:
                groups.setdefault(_public(self.support[symbol].namespace), []).append(symbol)
        return dict(sorted(groups.items(), key=lambda group: -len(group[1])))


def check(arguments: Sequence[str]) -> int:
    """Prints the symbols of the files named by `arguments` that are missing, refused, removed, or that differ.

    Returns the exit status: 1 if a symbol is not supported or a file cannot be read as Python, else 0.
    """
    parser = argparse.ArgumentParser(
        prog="python -m tfcompat check",
        description="Lists the TensorFlow symbols in programs that tfcompat lacks, or that differ. "
        "The programs are not run.",
    )
    parser.add_argument("--all", action="store_true", help="list supported symbols too")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("paths", nargs="+", metavar="PATH", type=Path, help="a .py or .ipynb file, or a folder of them")
    options = parser.parse_args(arguments)
    report = report_on(options.paths)
    shown = [use for use in report.uses if options.all or report.support[use.symbol].status != "supported"]
    print(json.dumps(_as_json(report, shown), indent=2) if options.json else "\n".join(_as_text(report, shown)))
    return 1 if report.unread or any(map(report.totals().get, _FAILURES)) else 0


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
    uses = sorted(use for use in uses if use.symbol and not (use.replacement and uses_keras_2()))
    support = {use.symbol: _support(use) for use in uses}
    return Report(read, uses, support, unread)


def _support(use: Use) -> Support:
    return removed(use.symbol, use.replacement) if use.replacement else support_of(use.symbol)


def _files_in(folder: Path) -> Iterator[Path]:
    """The programs in a folder, in order, without those in hidden folders and virtual environments."""
    for place, folders, names in os.walk(folder):
        parent = Path(place)
        folders[:] = sorted(name for name in folders if name[0] != "." and not (parent / name / "pyvenv.cfg").exists())
        yield from (parent / name for name in sorted(names) if name.endswith(_SUFFIXES))


def _as_text(report: Report, shown: Sequence[Use]) -> Iterator[str]:
    for path, reason in report.unread:
        yield f"{path}: cannot be read: {reason}"
    for use in shown:
        yield f"{use.place()}: {_public(use.symbol)}: {report.support[use.symbol].status}"
    yield f"{_counted(report.files, 'file')} {'names' if report.files == 1 else 'name'} {_verdict(report)}"
    for status, heading in _HEADINGS.items():
        groups = report.by_namespace(status)
        if groups:
            yield heading
        for namespace, symbols in groups.items():
            yield from _explained(report, status, namespace, symbols)


def _explained(report: Report, status: str, namespace: str, symbols: Sequence[str]) -> Iterator[str]:
    """The advice for the symbols of a namespace; one line if all have the same, as in a missing namespace."""
    advice = {report.support[symbol].advice for symbol in symbols}
    if status == "missing" and len(advice) == 1:
        words = advice.pop()
        yield f"  {namespace}: {_counted(len(symbols), 'symbol')}{f'. {words}' if words else ''}"
        return
    for symbol in symbols:
        support = report.support[symbol]
        yield f"  {_public(symbol)}: {support.advice}{f' ({support.link})' if support.link else ''}"


def _verdict(report: Report) -> str:
    if not report.support:
        return "no symbols of TensorFlow."
    counts = report.totals()
    names = _counted(len(report.support), "symbol")
    if counts["supported"] == len(report.support):
        return f"{names} of TensorFlow, and tfcompat has all of them."
    parts = [f"{counts[status]} {status}" for status in ("supported", *_HEADINGS) if counts[status]]
    return f"{names} of TensorFlow: {', '.join(parts)}."


def _as_json(report: Report, shown: Sequence[Use]) -> dict[str, object]:
    return {
        "files": report.files,
        "symbols": len(report.support),
        "counts": {status: report.totals()[status] for status in ("supported", *_HEADINGS)},
        "uses": [
            {
                "path": str(use.path),
                "cell": use.cell or None,
                "line": use.line,
                "symbol": _public(use.symbol),
                "status": report.support[use.symbol].status,
                "namespace": _public(report.support[use.symbol].namespace),
                "advice": report.support[use.symbol].advice or None,
                "link": report.support[use.symbol].link or None,
            }
            for use in shown
        ],
        "namespaces": {name: len(symbols) for name, symbols in report.by_namespace(*_FAILURES).items()},
        "unread": [{"path": str(path), "reason": reason} for path, reason in report.unread],
    }


def _public(name: str) -> str:
    if name.startswith("."):
        return name
    return f"tf.{name}" if name else "tf"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
