"""Functions for code in replicas, and the components of results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfcompat as tf

# Ways to run a function of replicas: undecorated, and decorated around or inside of `run`.
FORMS = {
    "eager": lambda strategy, step: strategy.run(step),
    "around": lambda strategy, step: tf.function(lambda: strategy.run(step))(),
    "inside": lambda strategy, step: strategy.run(tf.function(step)),
}
forms = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


def context() -> Any:
    """The context of the running replica."""
    return tf.distribute.get_replica_context()


def number() -> Any:
    """The number of the running replica, as a float32 tensor."""
    return tf.cast(context().replica_id_in_sync_group, tf.float32)


def parts(value: Any) -> list[Any]:
    """The components of a distributed value as Python lists and numbers."""
    assert isinstance(value, tf.distribute.DistributedValues)
    return [np.asarray(each).tolist() for each in value.values]
