"""The temporary folder of tests is one for each program, and is deleted at its end."""

from __future__ import annotations

import os

from tests import forked

PROGRAM = """
import os
import tfcompat as tf

folder = tf.compat.v1.test.get_temp_dir()
assert tf.compat.v1.test.get_temp_dir() == folder
open(os.path.join(folder, "file"), "w").close()
print(folder)
"""


def test_the_folder_exists_until_the_end_of_the_program(tmp_path):
    environment = {
        **os.environ,
        "TEST_TMPDIR": str(tmp_path / "of_tests"),
    }
    done = forked.run(["-c", PROGRAM], environment=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(tmp_path / "of_tests"))
    assert list(tmp_path.iterdir()) == []
