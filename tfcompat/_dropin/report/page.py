"""The text of a report."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping

from tfcompat._core.system.counter import Counters
from tfcompat._dropin.report.compilation import Compiled
from tfcompat._dropin.report.phase import PHASES, Moment

# The lines of the program that are shown.
_MOST_LINES = 10
_NAMES = {"recording": "recording ops", "Python": "other Python code"}
# A part of the time that is not worth a line.
_LEAST = 0.01


def text_of(
    program: str,
    total: float,
    seconds: Counter[Moment],
    compiled: Mapping[str, Compiled],
    counts: Counters,
    shortfalls: Counter[tuple[str, str]],
) -> str:
    """The report on `program`, which took `total` seconds; the other arguments are parts of a `Report`."""
    return "\n".join(
        (
            f"tfcompat report: {program}",
            *_times(total, seconds),
            *_slow_lines(total, seconds),
            *_compilations(compiled),
            *_runs(counts),
            *_shortfalls(shortfalls),
            "",
        )
    )


def _times(total: float, seconds: Counter[Moment]) -> Iterator[str]:
    yield f"seconds: {total:.2f}, sampled as"
    phases: Counter[str] = Counter()
    for moment, spent in seconds.items():
        phases[moment.phase] += spent  # pyright: ignore[reportArgumentType]
    for phase in PHASES:
        yield f"  {_NAMES.get(phase, phase):18} {phases[phase]:8.2f}"


def _slow_lines(total: float, seconds: Counter[Moment]) -> Iterator[str]:
    lines: dict[str, Counter[str]] = {}
    for moment, spent in seconds.items():
        lines.setdefault(moment.line, Counter())[moment.phase] += spent  # pyright: ignore[reportArgumentType]
    slowest = sorted(lines.items(), key=lambda item: -item[1].total())[:_MOST_LINES]
    shown = [(line, phases) for line, phases in slowest if line and phases.total() > _LEAST * total]
    if shown:
        yield "lines that took longest:"
    for line, phases in shown:
        parts = [f"{_NAMES.get(phase, phase)} {spent:.2f}" for phase, spent in phases.most_common() if spent >= _LEAST]
        yield f"  {phases.total():8.2f}  {_short(line)}: {', '.join(parts)}"


def _compilations(compiled: Mapping[str, Compiled]) -> Iterator[str]:
    made = {line: each for line, each in compiled.items() if each.programs}
    programs, loaded = (sum(getattr(each, name) for each in made.values()) for name in ("programs", "loaded"))
    yield f"compiled: {programs} programs in {sum(each.seconds for each in made.values()):.2f} s{_of_cache(loaded)}"
    for line, each in sorted(made.items(), key=lambda item: -item[1].seconds)[:_MOST_LINES]:
        yield f"  {each.seconds:8.2f}  {_short(line)}: {each.programs}{_of_cache(each.loaded)}"


def _of_cache(loaded: int) -> str:
    return f", {loaded} of them loaded from the cache" if loaded else ""


def _runs(counts: Counters) -> Iterator[str]:
    parts = [
        f"{count} {name}"
        for count, name in (
            (counts.cache_hits, "by known programs"),
            (counts.compiles, "compiled first"),
            (counts.padded, "padded"),
            (counts.op_by_op, "op by op"),
        )
        if count
    ]
    causes = ", ".join(f"{cause} {count}" for cause, count in counts.causes.most_common())
    ways = f" ({', '.join(parts)})" if parts else ""
    yield f"runs: {counts.flushes}{ways}{f'; caused by {causes}' if causes else ''}"


def _shortfalls(shortfalls: Counter[tuple[str, str]]) -> Iterator[str]:
    yield "not supported:" if shortfalls else "not supported: nothing was asked for that tfcompat lacks"
    for (line, what), count in sorted(shortfalls.items()):
        yield f"  {_short(line)}: {what}{f' ({count} times)' if count > 1 else ''}"


def _short(line: str) -> str:
    """`line` with its file relative to the current folder, if it is below."""
    file, _, number = line.rpartition(":")
    relative = os.path.relpath(file) if os.path.isabs(file) else file
    return f"{file if relative.startswith(os.pardir) else relative}:{number}"
