"""`tf.train.CheckpointOptions`."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

from tfcompat._saved.sharding import ShardingCallback

# Names of devices of this process. TensorFlow places the ops for files on its CPU, whichever device is named.
_LOCAL = re.compile(r"(?i)localhost|(/job:localhost)?(/replica:0)?(/task:0)?(/?(device:)?(cpu|gpu|tpu)(:\d+)?)?")


class CheckpointOptions:
    """How a checkpoint is written and read.

    Args:
      experimental_io_device: None, or a device of this process, such as "/job:localhost/device:CPU:0".
      experimental_enable_async_checkpoint: the same as `enable_async`.
      experimental_write_callbacks: functions to call after the files are written, with their prefix or without
        arguments.
      enable_async: whether files are written by a thread while the program continues.
      experimental_skip_slot_variables: whether `assert_consumed` accepts that slots of optimizers of TensorFlow 2.10
        and before are not restored.
      experimental_sharding_callback: a `tf.train.experimental.ShardingCallback`, which distributes the tensors among
        data files; by default all are in one.

    Raises: AssertionError for a callback with more than one parameter; NotImplementedError for another device;
      ValueError for another object as sharding callback.
    Source: TF 2.21 `tf.train.CheckpointOptions`.
    """

    __slots__ = (
        "enable_async",
        "experimental_enable_async_checkpoint",
        "experimental_io_device",
        "experimental_sharding_callback",
        "experimental_skip_slot_variables",
        "experimental_write_callbacks",
    )

    def __init__(
        self,
        experimental_io_device: str | None = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Sequence[Callable[..., Any]] | None = None,
        enable_async: bool = False,
        experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: Any = None,
    ) -> None:
        if experimental_io_device is not None and not _LOCAL.fullmatch(str(experimental_io_device)):
            raise NotImplementedError(
                f"tf.train.CheckpointOptions: experimental_io_device={experimental_io_device!r} is not supported; "
                "files are read and written by this process."
            )
        for callback in experimental_write_callbacks or ():
            assert len(inspect.signature(callback).parameters) <= 1, "a write callback has more than one parameter"
        if experimental_sharding_callback is not None and not isinstance(
            experimental_sharding_callback, ShardingCallback
        ):
            raise ValueError(
                "The experimental_sharding_callback checkpoint option must be of type ShardingCallback. The option "
                f"provided was of type {type(experimental_sharding_callback)}."
            )
        self.experimental_io_device = experimental_io_device
        self.enable_async = experimental_enable_async_checkpoint or enable_async
        self.experimental_enable_async_checkpoint = self.enable_async
        self.experimental_write_callbacks = experimental_write_callbacks
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback

    def __copy__(self) -> CheckpointOptions:
        copied = object.__new__(CheckpointOptions)
        for name in self.__slots__:
            setattr(copied, name, copy.copy(getattr(self, name)))
        return copied


def call_back(callbacks: Sequence[Callable[..., Any]], path: str) -> None:
    """Calls functions with `path`, or without arguments if they have no parameter."""
    for callback in callbacks:
        callback(*(path,) * len(inspect.signature(callback).parameters))
