"""`python -m tfcompat` stores compiled programs for later runs, within bounds, and runs programs whatever happens."""

from __future__ import annotations

import os
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from tests.daily import thorough
from tests.forked import Forked
from tfcompat._dropin import compilation_cache
from tfcompat._dropin.compilation_cache import sweep

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
from collections import Counter
import jax, sys
import numpy as np
import tensorflow as tf

happened = Counter()
jax.monitoring.register_event_listener(lambda event, **_: happened.update([event.rpartition("/")[2]]))
tf.random.set_seed(3)
weights = tf.Variable(tf.random.normal([16, 16]))
for step in range(4):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.nn.softmax(tf.random.normal([8, 16]) @ weights) - 0.1))
    weights.assign_sub(tape.gradient(loss, weights))
    print(float(loss).hex())
print(weights.numpy().tobytes().hex())
print(happened["cache_misses"], "compiled,", happened["cache_hits"], "found", file=sys.stderr)
"""


@pytest.fixture
def script(tmp_path):
    """A seeded training loop that prints its losses, and on stderr how many programs were compiled and found."""
    path = tmp_path / "train.py"
    path.write_text(SCRIPT)
    return path


def started(script, *arguments, options=(), limit=None, **environment):
    """A process that runs `script` by tfcompat; its files have at most `limit` KiB."""
    within = [] if limit is None else ["bash", "-c", f'ulimit -f {limit}; exec "$@"', "bash"]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("JAX_", "TFCOMPAT_"))}
    if not within and not options and not any(name.startswith("JAX_") for name in environment):
        return Forked(["-m", "tfcompat", str(script), *arguments], environment=inherited | environment)
    return subprocess.Popen(
        [*within, sys.executable, *options, "-m", "tfcompat", str(script), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=inherited | {"PYTHONPATH": str(ROOT), **environment},
    )


def finished(process):
    """The output of a process, and the last line on stderr, the only one that may be there."""
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    assert len(errors.splitlines()) == 1, errors
    return output, errors.strip()


def run(script, *arguments, **settings):
    return finished(started(script, *arguments, **settings))


def entries(folder):
    return sorted(path for path in folder.rglob("*-cache"))


def test_later_runs_find_all_programs_and_print_the_same(script, tmp_path):
    without, nothing = run(script, TFCOMPAT_COMPILATION_CACHE="0")
    assert nothing == "0 compiled, 0 found"
    folder = tmp_path / "kept"
    cold, compiled = run(script, TFCOMPAT_COMPILATION_CACHE=str(folder))
    count = len(entries(folder))
    assert count > 0
    assert compiled == f"{count} compiled, 0 found"
    for _ in range(2):
        warm, found = run(script, TFCOMPAT_COMPILATION_CACHE=str(folder))
        assert found == f"0 compiled, {count} found"
        assert warm == cold == without


VARYING = """
import sys
import numpy as np
import tensorflow as tf

weights = tf.Variable(np.full([256, 256], 0.01, np.float32))
for rows in np.random.default_rng(0).integers(300, 900, 12):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.nn.softmax(tf.ones([rows, 256]) @ weights) - 1.0))
    weights.assign_sub(0.1 * tape.gradient(loss, weights))
    print(float(loss).hex())
print(weights.numpy().tobytes().hex())
print(tf.counters().padded, "padded", file=sys.stderr)
"""


@pytest.mark.thorough
def test_padded_programs_that_are_found_print_the_same(tmp_path):
    path = tmp_path / "varying.py"
    path.write_text(VARYING)
    places = "0", *[str(tmp_path / "kept")] * 2
    runs = [run(path, TFCOMPAT_COMPILATION_CACHE=place, TFCOMPAT_HOST="0") for place in places]
    assert len(set(runs)) == 1
    assert runs[0][1] != "0 padded"
    assert entries(tmp_path / "kept")


def test_programs_are_kept_in_the_cache_folder_of_the_user(script, tmp_path):
    run(script, XDG_CACHE_HOME=str(tmp_path / "cache"))
    (folder,) = (tmp_path / "cache" / "tfcompat").iterdir()
    assert entries(folder)
    assert folder.stat().st_mode & 0o077 == 0


def test_folder_that_others_can_write_is_not_used(script, tmp_path):
    environment = {"XDG_CACHE_HOME": str(tmp_path)}
    run(script, **environment)
    (folder,) = (tmp_path / "tfcompat").iterdir()
    folder.chmod(0o777)
    assert run(script, **environment)[1] == "0 compiled, 0 found"


@pytest.mark.parametrize("name", ["JAX_COMPILATION_CACHE_DIR", thorough("JAX_ENABLE_COMPILATION_CACHE")])
def test_settings_of_jax_come_first(script, tmp_path, name):
    chosen = tmp_path / "chosen"
    run(script, XDG_CACHE_HOME=str(tmp_path / "cache"), **{name: str(chosen) if name.endswith("DIR") else "0"})
    assert not (tmp_path / "cache").exists()


def test_import_sets_up_no_cache(tmp_path):
    code = "import jax, tfcompat; print(jax.config.jax_compilation_cache_dir)"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path)}
    environment.pop("TFCOMPAT_COMPILATION_CACHE", None)
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "None\n"


@pytest.mark.parametrize("place", ["/proc/nowhere", thorough("file")])
def test_folder_that_cannot_be_made_is_done_without(script, tmp_path, place):
    (tmp_path / "file").write_text("")
    assert run(script, TFCOMPAT_COMPILATION_CACHE=str(tmp_path / place))[1] == "0 compiled, 0 found"


def test_user_without_a_home_has_no_cache(monkeypatch):
    def refuse():
        raise RuntimeError("Could not determine home directory.")

    for name in ("XDG_CACHE_HOME", compilation_cache.SWITCH, "JAX_COMPILATION_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", staticmethod(refuse))
    compilation_cache.keep_programs()


READ_ONLY = """
import os, sys
sys.argv = sys.argv[1:]
can = os.access
os.access = lambda path, mode: mode != os.W_OK and can(path, mode)
from tfcompat.__main__ import run
from tfcompat._dropin.alias import install_as_tensorflow
from tfcompat._dropin.compilation_cache import keep_programs
install_as_tensorflow()
os.environ["TFCOMPAT_COMPILATION_CACHE"] = sys.argv.pop()
keep_programs()
run(sys.argv)
"""


@pytest.mark.thorough
def test_folder_that_cannot_be_written_is_read(script, tmp_path):
    folder, read_only = tmp_path / "kept", tmp_path / "read_only.py"
    read_only.write_text(READ_ONLY)
    arguments = (read_only, str(script), str(folder))
    run(*arguments, TFCOMPAT_COMPILATION_CACHE="0")
    assert entries(folder) == []
    cold, _ = run(script, TFCOMPAT_COMPILATION_CACHE=str(folder))
    removed, *kept = entries(folder)
    removed.unlink()
    output, counted = run(*arguments, TFCOMPAT_COMPILATION_CACHE="0")
    assert output == cold
    assert counted == f"0 compiled, {len(kept)} found"
    assert entries(folder) == kept


@pytest.mark.thorough
@pytest.mark.parametrize("options", [(), ("-W", "error")], ids=["default", "warnings are errors"])
def test_broken_entries_are_compiled_again(script, tmp_path, options):
    folder = tmp_path / "kept"
    cold, _ = run(script, TFCOMPAT_COMPILATION_CACHE=str(folder))
    count = len(entries(folder))
    for k, path in enumerate(entries(folder)):
        # Some are found broken at the start; those that are as old as the last check only when they are read.
        found = path.stat()
        path.write_bytes(path.read_bytes()[: 100 * (k % 2)])
        if k % 3 == 0:
            os.utime(path, (found.st_atime, 0))
    for _ in range(2):
        output, counted = run(script, TFCOMPAT_COMPILATION_CACHE=str(folder), options=options)
        assert output == cold
    # Those that were broken later than the last check are whole again.
    assert f"{(count + 2) // 3} compiled, {count - (count + 2) // 3} found" == counted


@pytest.mark.thorough
def test_full_disk_does_not_stop_a_program(script, tmp_path):
    folder = str(tmp_path / "kept")
    first, _ = run(script, TFCOMPAT_COMPILATION_CACHE=folder, limit=1)
    assert all(path.stat().st_size <= 1024 for path in entries(tmp_path))
    second, _ = run(script, TFCOMPAT_COMPILATION_CACHE=folder)
    third, found = run(script, TFCOMPAT_COMPILATION_CACHE=folder)
    assert first == second == third
    assert found.startswith("0 compiled, ")


@pytest.mark.thorough
def test_processes_share_the_folder(script, tmp_path):
    processes = [started(script, TFCOMPAT_COMPILATION_CACHE=str(tmp_path / "kept")) for _ in range(3)]
    assert len({finished(process)[0] for process in processes}) == 1
    assert run(script, TFCOMPAT_COMPILATION_CACHE=str(tmp_path / "kept"))[1].startswith("0 compiled, ")


CALLS_PYTHON = """
import sys
import tensorflow as tf

@tf.function
def step(x):
    return tf.reduce_sum(tf.py_function(lambda y: y * float(sys.argv[1]), [tf.sin(x)], tf.TensorSpec([4], tf.float32)))

for _ in range(3):
    print(round(float(step(tf.ones([4])))))
print("done", file=sys.stderr)
"""


@pytest.mark.thorough
def test_functions_that_a_stored_program_calls_are_those_of_the_running_script(tmp_path):
    path = tmp_path / "calls.py"
    path.write_text(CALLS_PYTHON)
    for factor in (100, 100, 200):
        output, _ = run(path, str(factor), TFCOMPAT_COMPILATION_CACHE=str(tmp_path / "kept"), TFCOMPAT_HOST="0")
        assert output == f"{round(4 * 0.84147098 * factor)}\n" * 3


def entry(folder, name, size, used):
    path = folder / f"{name}-cache"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(zlib.compress(b"", 0).ljust(size, b"\0"))
    os.utime(path, (used, 1.0))
    return path


def test_what_was_not_used_for_longest_goes_first(tmp_path):
    sweep(tmp_path)
    old, recent, nested = (
        entry(tmp_path, name, 1000, used) for name, used in (("old", 10.0), ("recent", 30.0), ("below/nested", 20.0))
    )
    sweep(tmp_path, most_bytes=2500)
    assert (old.exists(), recent.exists(), nested.exists()) == (False, True, True)
    sweep(tmp_path, most_bytes=1000)
    assert (recent.exists(), nested.exists()) == (True, False)


def test_size_is_bounded_while_a_process_runs(tmp_path, monkeypatch):
    swept = []
    monkeypatch.setattr(compilation_cache, "sweep", swept.append)
    bounded = compilation_cache._Bounded(tmp_path)
    for _ in range(600):
        bounded("/jax/compilation_cache/cache_misses")
        bounded("/jax/compilation_cache/cache_hits")
    assert swept == [tmp_path, tmp_path]
