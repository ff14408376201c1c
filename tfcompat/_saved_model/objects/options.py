"""`tf.saved_model.SaveOptions` and `LoadOptions`."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import Any, Self

from tfcompat._saved.options import CheckpointOptions


class VariablePolicy(enum.Enum):
    """The properties of variables that are saved beside their values.

    Source: TF 2.21 `tf.saved_model.experimental.VariablePolicy`.
    """

    NONE = None
    SAVE_VARIABLE_DEVICES = "save_variable_devices"
    EXPAND_DISTRIBUTED_VARIABLES = "expand_distributed_variables"

    @classmethod
    def of(cls, value: Any) -> Self:
        """The policy for a member or its value, in any case. Raises ValueError for another value."""
        if isinstance(value, cls):
            return value
        known = {member.value: member for member in cls}
        key = None if value is None else str(value).lower()
        if key not in known:
            raise ValueError(f"Received invalid VariablePolicy value: {value}.")
        return known[key]


class SaveOptions:
    """How a SavedModel is written.

    Args:
      namespace_whitelist: namespaces of kernels that other libraries declare; no function here has such kernels.
      save_debug_info: not supported: programs have no nodes with lines.
      function_aliases: names for functions, by which tools find their programs.
      experimental_debug_stripper: whether assertions are left out, which programs never contain.
      experimental_io_device: None, or a device of this process, such as "/job:localhost/device:CPU:0".
      experimental_variable_policy: whether the devices of variables are saved. A variable is on one device, so
        EXPAND_DISTRIBUTED_VARIABLES saves the same as SAVE_VARIABLE_DEVICES.
      experimental_custom_gradients: whether gradients of functions are saved; without them tapes raise an error.
      experimental_image_format: not supported, as in TensorFlow's package.
      experimental_skip_saver: whether the nodes are left out by which TensorFlow 1 restores variables.
      experimental_sharding_callback: as of `tf.train.CheckpointOptions`.
      extra_tags: tags beside "serve".

    Raises: NotImplementedError or ValueError for unsupported options; TypeError or ValueError unless
      namespace_whitelist is a list of strings.
    Source: TF 2.21 `tf.saved_model.SaveOptions`.
    """

    __slots__ = (
        "experimental_custom_gradients",
        "experimental_debug_stripper",
        "experimental_image_format",
        "experimental_io_device",
        "experimental_sharding_callback",
        "experimental_skip_saver",
        "experimental_variable_policy",
        "extra_tags",
        "function_aliases",
        "namespace_whitelist",
        "save_debug_info",
    )

    def __init__(
        self,
        namespace_whitelist: list[str] | None = None,
        save_debug_info: bool = False,
        function_aliases: Mapping[str, Any] | None = None,
        experimental_debug_stripper: bool = False,
        experimental_io_device: str | None = None,
        experimental_variable_policy: Any = None,
        experimental_custom_gradients: bool = True,
        experimental_image_format: bool = False,
        experimental_skip_saver: bool = False,
        experimental_sharding_callback: Any = None,
        extra_tags: Sequence[str] | None = None,
    ) -> None:
        if save_debug_info:
            raise NotImplementedError("tf.saved_model.SaveOptions: save_debug_info is not supported; leave it out.")
        if experimental_image_format:
            raise ValueError("The option `experimental_image_format` is disabled in OSS.")
        CheckpointOptions(experimental_io_device, experimental_sharding_callback=experimental_sharding_callback)
        self.namespace_whitelist = _namespaces(namespace_whitelist)
        self.save_debug_info = save_debug_info
        self.function_aliases = dict(function_aliases or {})
        self.experimental_debug_stripper = experimental_debug_stripper
        self.experimental_io_device = experimental_io_device
        self.experimental_variable_policy = VariablePolicy.of(experimental_variable_policy)
        self.experimental_custom_gradients = experimental_custom_gradients
        self.experimental_image_format = experimental_image_format
        self.experimental_skip_saver = experimental_skip_saver
        self.experimental_sharding_callback = experimental_sharding_callback
        self.extra_tags = extra_tags


def _namespaces(given: Any) -> list[str] | None:
    if given is None:
        return None
    if not isinstance(given, list):
        raise TypeError(f"`namespace_whitelist` must be a list of strings. Got: {given} with type {type(given)}.")
    for namespace in given:
        if not isinstance(namespace, str):
            raise ValueError(f"Whitelisted namespace must be a string. Got: {namespace} of type {type(namespace)}.")
    return given


class LoadOptions:
    """How a SavedModel is read.

    Args:
      allow_partial_checkpoint: whether variables without a value in the checkpoint are zeros, instead of an error.
      experimental_io_device: None, or a device of this process, such as "/job:localhost/device:CPU:0".
      experimental_skip_checkpoint: not supported: a variable has a value.
      experimental_variable_policy: has no effect: variables are made on the current device.
      experimental_load_function_aliases: whether the object gets `function_aliases`: functions by their aliases.

    Raises: NotImplementedError for unsupported options; ValueError for another policy.
    Source: TF 2.21 `tf.saved_model.LoadOptions`.
    """

    __slots__ = (
        "allow_partial_checkpoint",
        "experimental_io_device",
        "experimental_load_function_aliases",
        "experimental_skip_checkpoint",
        "experimental_variable_policy",
    )

    def __init__(
        self,
        allow_partial_checkpoint: bool = False,
        experimental_io_device: str | None = None,
        experimental_skip_checkpoint: bool = False,
        experimental_variable_policy: Any = None,
        experimental_load_function_aliases: bool = False,
    ) -> None:
        if experimental_skip_checkpoint:
            raise NotImplementedError(
                "tf.saved_model.LoadOptions: experimental_skip_checkpoint is not supported, since variables have "
                "values here; load them, and assign others."
            )
        CheckpointOptions(experimental_io_device)
        self.allow_partial_checkpoint = allow_partial_checkpoint
        self.experimental_io_device = experimental_io_device
        self.experimental_skip_checkpoint = experimental_skip_checkpoint
        self.experimental_variable_policy = VariablePolicy.of(experimental_variable_policy)
        self.experimental_load_function_aliases = experimental_load_function_aliases
