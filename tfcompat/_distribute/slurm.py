"""The cluster of a job step of SLURM."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from tfcompat._distribute.cluster_spec import ClusterSpec
from tfcompat._distribute.resolver import ClusterResolver, with_protocol

_VISIBLE = "CUDA_VISIBLE_DEVICES"


class SlurmClusterResolver(ClusterResolver):
    """The tasks of the running job step of SLURM, node by node.

    Args:
      jobs: the number of tasks of each job, by default all in "worker".
      port_base: the port of the first task of a node; the others have the following ones.
      gpus_per_node, gpus_per_task: the number of GPUs; by default SLURM's, or none.
      tasks_per_node: by default SLURM's.
      auto_set_gpu: whether each task sees only its own GPUs.

    Raises: RuntimeError outside of a job step, or if `jobs` has another number of tasks.
    Source: TF 2.21 `tf.distribute.cluster_resolver.SlurmClusterResolver`.
    """

    def __init__(
        self,
        jobs: dict[str, int] | None = None,
        port_base: int = 8888,
        gpus_per_node: int | None = None,
        gpus_per_task: int | None = None,
        tasks_per_node: int | None = None,
        auto_set_gpu: bool = True,
        rpc_layer: str | None = "grpc",
    ) -> None:
        self._rank = int(_of_slurm("PROCID"))
        count = int(_of_slurm("STEP_NUM_TASKS"))
        self._jobs = {"worker": count} if jobs is None else dict(jobs)
        nodes = expanded_hosts(_of_slurm("STEP_NODELIST"))
        given = expanded_tasks(_of_slurm("STEP_TASKS_PER_NODE"))
        self._tasks = given if tasks_per_node is None else [tasks_per_node] * len(nodes)
        if sum(self._tasks) != sum(self._jobs.values()):
            raise RuntimeError(f"Requested {sum(self._jobs.values())} tasks but only {sum(self._tasks)} were assigned.")
        self._nodes = nodes
        self._port = port_base
        here = int(os.environ.get("SLURM_GPUS_ON_NODE", 0)) if gpus_per_node is None else gpus_per_node
        self._gpus = here // max(self._tasks) if gpus_per_task is None else gpus_per_task
        if self._gpus * max(self._tasks) > here:
            raise RuntimeError("Requested more GPUs per node than available.")
        self._is_setting_gpus = auto_set_gpu and self._gpus > 0
        self.rpc_layer = rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        """The cluster. It sets the job and the number of this task, and the GPUs that it sees."""
        places = [
            (node, number) for node, tasks in zip(self._nodes, self._tasks, strict=True) for number in range(tasks)
        ]
        addresses = [f"{node}:{self._port + number}" for node, number in places]
        found: dict[str, list[str]] = {}
        first = 0
        for job, tasks in self._jobs.items():
            found[job] = addresses[first : first + tasks]
            if first <= self._rank < first + tasks:
                self.task_type, self.task_id = job, self._rank - first
            first += tasks
        if self._is_setting_gpus:
            number = places[self._rank][1]
            os.environ[_VISIBLE] = ",".join(map(str, range(number * self._gpus, (number + 1) * self._gpus)))
        return ClusterSpec(found)

    def get_task_info(self) -> tuple[Any, Any]:
        """The job and the number of this task."""
        self.cluster_spec()
        return self.task_type, self.task_id

    def master(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None) -> str:
        """The address of the task with this job and number, by default of this task."""
        spec = self.cluster_spec()
        job = self.task_type if task_type is None else task_type
        number = self.task_id if task_id is None else task_id
        return with_protocol(spec.task_address(job, number), rpc_layer or self.rpc_layer)

    def num_accelerators(self, task_type: Any = None, task_id: Any = None, config_proto: Any = None) -> dict[str, int]:
        """The number of GPUs of a task."""
        del task_type, task_id, config_proto
        return {"GPU": self._gpus} if self._gpus else {}


def _of_slurm(name: str) -> str:
    """A variable of SLURM's for the job step."""
    found = os.environ.get(f"SLURM_{name}")
    if found is None:
        raise RuntimeError(f"SLURM_{name} not found in environment. Not running inside a SLURM step?")
    return found


def expanded_hosts(text: str) -> list[str]:
    """The names of nodes in a list such as `n[01-03,07],m`. Raises ValueError for a list of another form."""
    found: list[str] = []
    for part in re.findall(r"(?:[^,\[\]]|\[[^\]]*\])+", text):
        form = re.fullmatch(r"([^\[\]]+)(?:\[([^\]]*)\])?([^\[\]]*)", part)
        if form is None:
            raise ValueError(f'Invalid hostlist format "{text}": Invalid part: {part}')
        before, numbers, after = form.groups()
        found += [before + after] if numbers is None else [f"{before}{each}{after}" for each in _numbers(numbers)]
    return found


def _numbers(text: str) -> Iterator[str]:
    """The numbers in ranges such as `01-03,07`, with leading zeros."""
    for part in text.split(","):
        first, _, last = part.partition("-")
        for number in range(int(first), int(last or first) + 1):
            yield str(number).zfill(len(first))


def expanded_tasks(text: str) -> list[int]:
    """The numbers of tasks of nodes in a list such as `2(x3),1`. Raises ValueError for a list of another form."""
    found: list[int] = []
    for part in text.split(","):
        form = re.fullmatch(r"(\d+)(?:\(x(\d+)\))?", part)
        if form is None:
            raise ValueError(f'Invalid tasks per node list format "{text}": Invalid part: {part}')
        found += [int(form[1])] * int(form[2] or 1)
    return found
