"""`tf.train.ClusterSpec`: the addresses of the processes of a cluster, by job."""

from __future__ import annotations

from typing import Any, NoReturn


class ClusterSpec:
    """The tasks of each job of a cluster, with their addresses.

    `cluster` maps names of jobs to lists of addresses, or to dictionaries from task numbers to addresses; or it is
    another `ClusterSpec`.

    Raises: TypeError for other values.
    Source: TF 2.21 `tf.train.ClusterSpec`.
    """

    def __init__(self, cluster: Any) -> None:
        if isinstance(cluster, ClusterSpec):
            cluster = cluster.as_dict()
        if not isinstance(cluster, dict):
            raise TypeError(
                "`cluster` must be a dictionary mapping one or more job names to lists of network addresses, or a "
                "`ClusterDef` protocol buffer"
            )
        self._jobs = {str(job): _tasks(job, tasks) for job, tasks in cluster.items()}

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._jobs)

    def num_tasks(self, job_name: str) -> int:
        """The number of tasks of a job. Raises ValueError for an unknown job."""
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """The numbers of the tasks of a job. Raises ValueError for an unknown job."""
        return sorted(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """The address of a task. Raises ValueError for an unknown job or task."""
        tasks = self._job(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index} in job {job_name!r}")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """The addresses of the tasks of a job, in order; None for missing numbers. Raises ValueError."""
        tasks = self._job(job_name)
        return [tasks.get(number) for number in range(max(tasks, default=-1) + 1)]

    def as_dict(self) -> dict[str, Any]:
        """The addresses by job: a list, or a dictionary if task numbers are missing."""
        return {job: _listed(tasks) for job, tasks in self._jobs.items()}

    def as_cluster_def(self) -> NoReturn:
        """Raises NotImplementedError: TensorFlow's messages for clusters are not supported."""
        raise NotImplementedError("tf.train.ClusterSpec.as_cluster_def: use as_dict(), which has the same content.")

    def _job(self, name: str) -> dict[int, str]:
        if name not in self._jobs:
            raise ValueError(f"No such job in cluster: {name!r}")
        return self._jobs[name]

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and self._jobs == other._jobs

    __hash__ = None  # pyright: ignore[reportAssignmentType]  # as in TensorFlow

    def __repr__(self) -> str:
        known = self.as_dict()
        return f"ClusterSpec({{{', '.join(f'{job!r}: {known[job]!r}' for job in sorted(known))}}})"


def _tasks(job: Any, tasks: Any) -> dict[int, str]:
    if isinstance(tasks, (list, tuple)):
        tasks = dict(enumerate(tasks))
    if not isinstance(tasks, dict):
        raise TypeError(f"The tasks for job {job!r} must be a list or a dictionary from integers to strings.")
    return {int(number): _address(address) for number, address in tasks.items()}


def _address(address: Any) -> str:
    if isinstance(address, bytes):
        return address.decode()
    if not isinstance(address, str):
        raise TypeError(f"Task address {address} must be bytes or unicode")
    return address


def _listed(tasks: dict[int, str]) -> list[str] | dict[int, str]:
    numbers = sorted(tasks)
    is_whole = numbers == list(range(len(numbers)))
    return [tasks[number] for number in numbers] if is_whole else {number: tasks[number] for number in numbers}
