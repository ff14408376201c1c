"""The source distribution of Keras, which holds its tests."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from tests.keras_suite.comparison import VERSION

OWN = Path(__file__).parent / "plugin.py"


def fetched(folder: Path) -> Path:
    """The unpacked source distribution below `folder`, fetched from PyPI if it is not there."""
    root = folder / f"keras-{VERSION}"
    if not root.exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", "keras"]
        subprocess.run([*command, "--dest", folder, f"keras=={VERSION}"], check=True)
        with tarfile.open(folder / f"keras-{VERSION}.tar.gz") as archive:
            # Python 3.11.0 to 3.11.3 have no filters.
            archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)
            archive.extractall(folder)
    shutil.copy(OWN, root / "conftest.py")
    return root
