"""The strategy of one of several processes, and what their programs need."""

from __future__ import annotations

import os
import sys
from typing import Any

if os.environ.get("TFCOMPAT_SUBJECT") == "tensorflow":
    import tensorflow

    sys.modules["tfcompat"] = tensorflow

import tfcompat as tf

D = tf.distribute
strategy = D.MultiWorkerMirroredStrategy()
INDEX = strategy.cluster_resolver.task_id


def context() -> Any:
    return D.get_replica_context()


def number() -> Any:
    return tf.cast(context().replica_id_in_sync_group, tf.float32)


def plain(value: Any) -> Any:
    """`value` as Python lists and numbers."""

    def listed(leaf: Any) -> Any:
        found = leaf.numpy() if hasattr(leaf, "numpy") else leaf
        return found.tolist() if hasattr(found, "tolist") else found

    return tf.nest.map_structure(listed, value)


def raised(call: Any) -> str:
    """The class of the error that `call` raises."""
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return ""
