"""What TensorFlow 1 asks of itself, and the behaviour of version 2, which is always on."""

from __future__ import annotations

from typing import Any

from tfcompat._random.seed import next_pair


def executing_eagerly_outside_functions() -> bool:
    """True: programs run eagerly outside of functions.

    Source: TF 2.21 `tf.compat.v1.executing_eagerly_outside_functions`.
    """
    return True


def resource_variables_enabled() -> bool:
    """True: there are no other variables.

    Source: TF 2.21 `tf.compat.v1.resource_variables_enabled`.
    """
    return True


def control_flow_v2_enabled() -> bool:
    """True: there is no other control flow.

    Source: TF 2.21 `tf.compat.v1.control_flow_v2_enabled`.
    """
    return True


def enable_v2_behavior() -> None:
    """Changes nothing: it is on.

    Source: TF 2.21 `tf.compat.v1.enable_v2_behavior`.
    """


def enable_eager_execution(config: Any = None, device_policy: Any = None, execution_mode: Any = None) -> None:
    """Changes nothing: it is on.

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
    """Changes nothing: there are no other variables.

    Source: TF 2.21 `tf.compat.v1.enable_resource_variables`.
    """


def enable_tensor_equality() -> None:
    """Changes nothing: `==` compares elements.

    Source: TF 2.21 `tf.compat.v1.enable_tensor_equality`.
    """


def enable_v2_tensorshape() -> None:
    """Changes nothing: a `tf.TensorShape` holds numbers.

    Source: TF 2.21 `tf.compat.v1.enable_v2_tensorshape`.
    """


def enable_control_flow_v2() -> None:
    """Changes nothing: there is no other control flow.

    Source: TF 2.21 `tf.compat.v1.enable_control_flow_v2`.
    """


def get_default_session() -> None:
    """None: there are no sessions.

    Source: TF 2.21 `tf.compat.v1.get_default_session`.
    """


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The global seed and that of the next op, which is `op_seed` if it is given; (None, None) if neither is.

    Source: TF 2.21 `tf.compat.v1.get_seed`.
    """
    return next_pair(op_seed) or (None, None)
