"""`python -m tfcompat guide`: prints the migration guide, which is installed with the package."""

from __future__ import annotations

import sys
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_CONTENTS = "README"
_USAGE = 2


def pages() -> dict[str, Path]:
    """The pages of the guide, by name without `.md`."""
    # A wheel has the guide inside the package, a checkout next to it.
    folder = next(place for parent in (_PACKAGE, _PACKAGE.parent) if (place := parent / "migration_guide").is_dir())
    return {path.stem: path for path in sorted(folder.glob("*.md"))}


def show_guide(arguments: list[str]) -> int:
    """Prints the named page, or the table of contents; the exit status is 2 if the page does not exist."""
    known = pages()
    name = arguments[0].removesuffix(".md") if arguments else _CONTENTS
    if len(arguments) > 1 or name not in known:
        print(f"python -m tfcompat guide: name one page of {', '.join(known)}", file=sys.stderr)
        return _USAGE
    print(known[name].read_text(encoding="utf-8"))
    if not arguments:
        print(f"`python -m tfcompat guide PAGE` prints a page. The files are in {known[name].parent}.")
    return 0
