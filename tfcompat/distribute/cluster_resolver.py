"""`tf.distribute.cluster_resolver`: which processes a cluster has, and how scripts find a TPU."""

import typing as _typing

from tfcompat._distribute.cluster import TPUClusterResolver
from tfcompat._distribute.resolver import ClusterResolver, SimpleClusterResolver, UnionResolver
from tfcompat._distribute.slurm import SlurmClusterResolver
from tfcompat._distribute.tf_config import TFConfigClusterResolver
from tfcompat._dropin.absence import absence as _absence

__all__ = [
    "ClusterResolver",
    "SimpleClusterResolver",
    "SlurmClusterResolver",
    "TFConfigClusterResolver",
    "TPUClusterResolver",
    "UnionResolver",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
