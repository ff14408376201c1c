"""TensorFlow 1's queries of its behaviour, and its switches for version 2's behaviour, which is always on."""

from __future__ import annotations

from typing import Any

from tfcompat._random.seed import next_pair


def executing_eagerly_outside_functions() -> bool:
    """True: programs run eagerly outside functions.

    Source: TF 2.21 `tf.compat.v1.executing_eagerly_outside_functions`.
    """
    return True


def resource_variables_enabled() -> bool:
    """True: all variables are resource variables.

    Source: TF 2.21 `tf.compat.v1.resource_variables_enabled`.
    """
    return True


def control_flow_v2_enabled() -> bool:
    """True: control flow is always that of version 2.

    Source: TF 2.21 `tf.compat.v1.control_flow_v2_enabled`.
    """
    return True


def enable_v2_behavior() -> None:
    """Has no effect: this behaviour is always on.

    Source: TF 2.21 `tf.compat.v1.enable_v2_behavior`.
    """


def enable_eager_execution(config: Any = None, device_policy: Any = None, execution_mode: Any = None) -> None:
    """Has no effect: this behaviour is always on.

    Raises: NotImplementedError for `config`, `device_policy` and `execution_mode`.
    Source: TF 2.21 `tf.compat.v1.enable_eager_execution`.
    """
    given = {"config": config, "device_policy": device_policy, "execution_mode": execution_mode}
    for name, value in given.items():
        if value is not None:
            raise NotImplementedError(
                f"tf.compat.v1.enable_eager_execution: {name} is not supported; see tf.config.experimental."
            )


def enable_resource_variables() -> None:
    """Has no effect: all variables are resource variables.

    Source: TF 2.21 `tf.compat.v1.enable_resource_variables`.
    """


def enable_tensor_equality() -> None:
    """Has no effect: `==` always compares elements.

    Source: TF 2.21 `tf.compat.v1.enable_tensor_equality`.
    """


def enable_v2_tensorshape() -> None:
    """Has no effect: a `tf.TensorShape` always holds numbers.

    Source: TF 2.21 `tf.compat.v1.enable_v2_tensorshape`.
    """


def enable_control_flow_v2() -> None:
    """Has no effect: control flow is always that of version 2.

    Source: TF 2.21 `tf.compat.v1.enable_control_flow_v2`.
    """


def get_default_session() -> None:
    """Returns None: sessions are not supported.

    Source: TF 2.21 `tf.compat.v1.get_default_session`.
    """


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The global seed and the seed of the next op, which is `op_seed` if given; (None, None) without any seed.

    Source: TF 2.21 `tf.compat.v1.get_seed`.
    """
    return next_pair(op_seed) or (None, None)
