"""The results as Markdown tables."""

from __future__ import annotations

import math

from benchmarks.catalogue import WORKLOADS
from benchmarks.measure import Result

TITLES = {
    "eager": "TF eager",
    "function": "tf.function",
    "jit_compile": "jit_compile",
    "tfcompat": "tfcompat",
    "decorated": "decorated",
    "jax": "jax.jit",
}
Results = dict[str, dict[str, Result]]


def rows(title: str, header: list[str], body: list[list[str]]) -> str:
    """A table with its title; the first column is aligned left, the others right."""
    widths = [max(len(row[column]) for row in [header, *body]) for column in range(len(header))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    lines = [
        "| " + " | ".join(cell_of(row, i, w) for i, w in enumerate(widths)) + " |" for row in [header, rule, *body]
    ]
    return "\n".join([f"{title}\n", *lines])


def cell_of(row: list[str], column: int, width: int) -> str:
    """A padded cell."""
    return row[column].ljust(width) if column == 0 else row[column].rjust(width)


def number(value: float, digits: int = 3) -> str:
    """A number with `digits` significant digits; a dash for nan."""
    if math.isnan(value):
        return "-"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value)))) if value else 0
    return f"{value:,.{decimals}f}"


def ratio(upper: float, lower: float, target: float | None) -> str:
    """A ratio with its target: `2.10 (<= 3)`, and an x if it misses the target."""
    if math.isnan(upper / lower):
        return "-"
    if target is None:
        return f"{upper / lower:.2f}"
    aim = f"1/{round(1 / target, 2):g}" if target < 1 else f"{target:g}"
    shown = f"1/{lower / upper:.1f}" if target < 1 else f"{upper / lower:.2f}"
    return f"{shown} (<= {aim}){'' if upper <= target * lower else ' x'}"


def step_table(results: Results) -> str:
    """The table of microseconds per step."""
    body = [
        [name, *(number(1e6 * of.get(variant, Result()).step) for variant in TITLES)] for name, of in results.items()
    ]
    return rows("Microseconds a step (medians)", ["", *TITLES.values()], body)


def ratio_table(results: Results) -> str:
    """The table of ratios of tfcompat's steps to the other steps, each with its target."""
    body = []
    for name, of in results.items():
        workload, empty = WORKLOADS[name], Result()
        targets = {"jax": workload.to_jax, "eager": workload.to_eager, "function": workload.to_function}
        step = of.get("tfcompat", empty).step
        body.append([name, *(ratio(step, of.get(other, empty).step, target) for other, target in targets.items())])
    return rows("tfcompat over the others (target; x: missed)", ["", "jax.jit", "TF eager", "tf.function"], body)


def decorated_table(results: Results) -> str:
    """The table of ratios of tfcompat's steps under `tf.function` to the other steps, each with its target."""
    body = []
    for name, of in results.items():
        workload, empty = WORKLOADS[name], Result()
        targets = {"jax": workload.decorated_to_jax, "jit_compile": workload.decorated_to_jit, "tfcompat": None}
        step = of.get("decorated", empty).step
        if not math.isnan(step):
            body.append([name, *(ratio(step, of.get(other, empty).step, target) for other, target in targets.items())])
    if not body:
        return ""
    header = ["", "jax.jit", "jit_compile", "undecorated"]
    return rows("tfcompat under tf.function over the others (target; x: missed)", header, body)


def start_table(results: Results) -> str:
    """The table of first steps and compiled programs."""
    body = []
    for name, of in results.items():
        tfcompat, other = of.get("tfcompat", Result()), of.get("jit_compile", Result())
        firsts = [number(1e3 * of.get(variant, Result()).first) for variant in TITLES]
        compiled = [programs(of.get(variant, Result())) for variant in ("tfcompat", "decorated")]
        body.append([name, *firsts, ratio(tfcompat.first, other.first, 1), *compiled])
    header = ["", *TITLES.values(), "tfcompat / jit_compile", "programs", "decorated"]
    title = "First step in milliseconds; programs that tfcompat compiled in the first 3 steps (decorated: <= 1) + later"
    return rows(title, header, body)


def programs(of: Result) -> str:
    """The numbers of programs compiled in the first steps and later."""
    return f"{of.compiled_early} + {of.compiled_late}" if of.blocks else "-"


def memory_table(results: Results) -> str:
    """The table of peak memory minus the memory of the imports, for the workloads where it was measured."""
    body = []
    for name, of in results.items():
        peaks = {variant: of.get(variant, Result()).peak for variant in TITLES}
        if not all(map(math.isnan, peaks.values())):
            aim = ratio(peaks["tfcompat"], peaks["jax"], WORKLOADS[name].peak)
            body.append([name, *map(number, peaks.values()), aim])
    if not body:
        return ""
    return rows(
        "Peak memory in MB, minus the memory of the imports", ["", *TITLES.values(), "tfcompat / jax.jit"], body
    )


def notes(results: Results) -> str:
    """Notes on versions whose losses differ, and on failures."""
    lines = []
    for name, of in results.items():
        lines += [f"- {name}, {TITLES[variant]}: {result.error}" for variant, result in of.items() if result.error]
        lines += disagreements(name, of)
    compared = "Losses of the first 5 steps: all versions of each workload agree."
    if not any("differ" in line for line in lines):
        lines.insert(0, compared)
    return "\n".join(lines)


def disagreements(name: str, of: dict[str, Result]) -> list[str]:
    """A line for each variant whose losses differ from those of the first variant that ran."""
    ran = {variant: result.losses for variant, result in of.items() if result.losses}
    if not ran:
        return []
    reference = "eager" if "eager" in ran else next(iter(ran))
    return [
        f"- {name}: losses differ: {TITLES[reference]} {ran[reference]}, {TITLES[variant]} {losses}"
        for variant, losses in ran.items()
        if not all(
            math.isclose(a, b, rel_tol=WORKLOADS[name].tolerance, abs_tol=1e-6)
            for a, b in zip(losses, ran[reference], strict=True)
        )
    ]


def report(results: Results) -> str:
    """All tables and notes, as Markdown."""
    parts = [make(results) for make in (step_table, ratio_table, decorated_table, start_table, memory_table, notes)]
    return "\n\n".join(part for part in parts if part)
