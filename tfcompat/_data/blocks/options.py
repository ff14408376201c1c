"""The options of a dataset: `tf.data.Options`.

Elements do not depend on them: order is always deterministic, and threads are started only by `prefetch`. They are
checked, merged and handed on as in TensorFlow.
"""

from __future__ import annotations

import copy
import enum
from collections.abc import Callable
from typing import Any


class AutoShardPolicy(enum.IntEnum):
    """How distribution divides a dataset among workers. Source: TF 2.21 `tf.data.experimental.AutoShardPolicy`."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class AutotuneAlgorithm(enum.Enum):
    """How performance settings are tuned. Source: TF 2.21 `tf.data.experimental.AutotuneAlgorithm`."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class ExternalStatePolicy(enum.Enum):
    """How state outside of a dataset is saved. Source: TF 2.21 `tf.data.experimental.ExternalStatePolicy`."""

    WARN = 0
    IGNORE = 1
    FAIL = 2


def _none() -> None:
    return None


class _Option:
    """A property whose values have a type; None, or what `default` makes, until it is set."""

    def __init__(self, kind: type[Any], default: Callable[[], Any] = _none) -> None:
        self._kind = kind
        self._default = default

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self._name = name

    def __get__(self, holder: Any, owner: type[Any] | None = None) -> Any:
        if holder is None:
            return self
        return holder._options.setdefault(self._name, self._default())

    def __set__(self, holder: Any, value: Any) -> None:
        if not isinstance(value, self._kind):
            raise TypeError(f'Property "{self._name}" must be of type {self._kind}, got: {value} (type: {type(value)})')
        holder._options[self._name] = value


class _Group:
    """Some options; two groups are equal if all their options are."""

    _options: dict[str, Any]
    _is_mutable: bool

    def __init__(self) -> None:
        object.__setattr__(self, "_options", {})
        object.__setattr__(self, "_is_mutable", True)

    def __setattr__(self, name: str, value: Any) -> None:
        if not self._is_mutable:
            raise ValueError(
                "Mutating `tf.data.Options()` returned by `tf.data.Dataset.options()` has no effect. Use "
                "`tf.data.Dataset.with_options(options)` to set or update dataset options."
            )
        if not hasattr(type(self), name):
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self._options.keys() | other._options.keys())

    __hash__ = None  # pyright: ignore[reportAssignmentType]  # as in TensorFlow

    def _merged(self, other: Any) -> Any:
        """A new group with the options of both; those that are set in `other` win."""
        made = type(self)()
        for name in self._options.keys() | other._options.keys():
            ours, theirs = getattr(self, name), getattr(other, name)
            if isinstance(theirs, _Group):
                made._options[name] = ours._merged(theirs)
            else:
                is_set = name in other._options and theirs is not None
                made._options[name] = theirs if is_set else ours
        return made

    def _frozen(self) -> Any:
        """A copy that cannot be changed."""
        made = type(self)()
        for name, value in self._options.items():
            made._options[name] = value._frozen() if isinstance(value, _Group) else copy.copy(value)
        object.__setattr__(made, "_is_mutable", False)
        return made


class AutotuneOptions(_Group):
    """Options for tuning. Source: TF 2.21 `tf.data.experimental.AutotuneOptions`."""

    enabled = _Option(bool)
    cpu_budget = _Option(int)
    ram_budget = _Option(int)
    autotune_algorithm = _Option(AutotuneAlgorithm)
    initial_parallelism = _Option(int)
    min_parallelism = _Option(int)


class DistributeOptions(_Group):
    """Options for distribution. Source: TF 2.21 `tf.data.experimental.DistributeOptions`."""

    auto_shard_policy = _Option(AutoShardPolicy, lambda: AutoShardPolicy.AUTO)
    num_devices = _Option(int)


class OptimizationOptions(_Group):
    """Options for TensorFlow's rewriting of pipelines. Source: TF 2.21 `tf.data.experimental.OptimizationOptions`."""

    apply_default_optimizations = _Option(bool)
    filter_fusion = _Option(bool)
    filter_parallelization = _Option(bool)
    inject_prefetch = _Option(bool)
    map_and_batch_fusion = _Option(bool)
    map_and_filter_fusion = _Option(bool)
    map_fusion = _Option(bool)
    map_parallelization = _Option(bool)
    noop_elimination = _Option(bool)
    parallel_batch = _Option(bool)
    seq_interleave_prefetch = _Option(bool)
    shuffle_and_repeat_fusion = _Option(bool)


class ServiceOptions(_Group):
    """Options for the service of datasets. Source: TF 2.21 `tf.data.experimental.ServiceOptions`."""

    pinned = _Option(bool)


class ThreadingOptions(_Group):
    """Options for threads. Source: TF 2.21 `tf.data.ThreadingOptions`."""

    max_intra_op_parallelism = _Option(int)
    private_threadpool_size = _Option(int)


class Options(_Group):
    """The options of a dataset, for `tf.data.Dataset.with_options`.

    Raises: AttributeError for an option that does not exist; TypeError for a value of another type.
    Source: TF 2.21 `tf.data.Options`.
    """

    autotune = _Option(AutotuneOptions, AutotuneOptions)
    dataset_name = _Option(str)
    deterministic = _Option(bool)
    experimental_distribute = _Option(DistributeOptions, DistributeOptions)
    experimental_external_state_policy = _Option(ExternalStatePolicy)
    experimental_optimization = _Option(OptimizationOptions, OptimizationOptions)
    experimental_service = _Option(ServiceOptions, ServiceOptions)
    experimental_slack = _Option(bool)
    experimental_symbolic_checkpoint = _Option(bool)
    experimental_warm_start = _Option(bool)
    framework_type = _Option(list)
    threading = _Option(ThreadingOptions, ThreadingOptions)

    @property
    def experimental_deterministic(self) -> Any:
        """The former name of `deterministic`."""
        return self.deterministic

    @experimental_deterministic.setter
    def experimental_deterministic(self, value: Any) -> None:
        self.deterministic = value

    @property
    def experimental_threading(self) -> Any:
        """The former name of `threading`."""
        return self.threading

    @experimental_threading.setter
    def experimental_threading(self, value: Any) -> None:
        self.threading = value

    def merge(self, options: Any) -> Any:
        """New options: those of both, where `options` win. Raises TypeError unless they are `tf.data.Options`."""
        if not isinstance(options, Options):
            raise TypeError(f"Could not merge incompatible options of type {type(options)} and {type(self)}.")
        return self._merged(options)


def merged(*options: Options) -> Options:
    """The options of all; later ones win."""
    found = Options()
    for each in options:
        found = found._merged(each)
    return found
