"""Known differences of processes with several devices; `migration_guide/differences.md` lists each."""

from __future__ import annotations

from tests.distribute.cluster import run
from tests.distribute.test_devices_of_processes import MODULE, simulated


@simulated
def test_decorated_steps_in_processes_run_on_one_device_each():
    for ended in run("training", module=MODULE):
        undecorated, decorated = ended.results["training"]["spread"]
        assert undecorated >= 9
        assert decorated == 0
