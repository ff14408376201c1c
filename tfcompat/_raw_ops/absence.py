"""Kernels of TensorFlow that are not supported: accessing one raises an error that names an alternative."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tfcompat._dropin.refused import Refused

# Patterns of kernel names, and the alternative to each; the first match counts.
_WAYS_OUT = (
    ("CudnnRNN", "tf.keras.layers.LSTM and tf.keras.layers.GRU compute the same."),
    ("Quantize|Requant|Dequantize|Uniform.*Quant", "No tensor has a quantized dtype; see tf.quantization."),
    ("TPU|Tpu|Xla|SparseCore|Minibatch|CooTensor", "XLA compiles all programs, and finds the TPUs."),
    ("Collective|Nccl|Send$|Recv$|Worker|Configure", "jax.distributed and tf.distribute connect processes."),
    ("BoostedTrees", "TensorFlow has deprecated them; TensorFlow Decision Forests grows trees."),
    ("TensorList|TensorArray", "tf.TensorArray is a list of tensors."),
    ("Dataset|Iterator|Optional", "tf.data makes input pipelines."),
    ("Queue|Barrier|Stage|Map|Stack(V2|Push|Pop|Close)?|Accumulator", "Python's `queue` hands values on."),
    ("Table|Lookup", "tf.lookup has tables, which are Python objects."),
    ("Summary", "tf.summary writes them."),
    ("Decode(And|Bmp|Gif|Image|J|P[nr]|Web|Wav)|Encode(J|P|Wav)|ExtractJpeg", "Pillow and scipy read and write them."),
    ("Dataset|Reader|File|Save|Restore|Checkpoint", "tf.train.Checkpoint and Python's files read and write."),
    ("Stateful|Rng|NonDeterministic", "tf.random.Generator draws them."),
    ("^Random|Multinomial|TruncatedNormal$", "tf.random draws them from its seeds."),
    ("^(Sparse|Resource|Resource.*Sparse)?Apply|^Assign|^Scatter|Variable", "Kernels of references belong to graphs: "
     "assign a tf.Variable, or take the kernel whose name begins with Resource."),
    ("^Sparse|SparseM|SparseT", "tf.sparse takes tensors of the class tf.SparseTensor."),
    ("Ragged", "tf.ragged takes tensors of the class tf.RaggedTensor."),
    ("PyFunc", "tf.py_function and tf.numpy_function call Python."),
    ("^(Ref)?(Enter|Exit|Merge|NextIteration|Switch|Select)$|LoopCond|^(Stateless)?(If|While|Case)$|Call|Abort|Placeholder",
     "It belongs to graphs: tf.cond, tf.while_loop and Python's own statements."),
    ("Grad", "Tapes compute derivatives: tf.GradientTape."),
)  # fmt: skip
_ELSE = "Call the public function that it belongs to, or write it in JAX: tf.from_jax makes it an op for tapes."


def absence(namespace: str) -> Callable[[str], Any]:
    """The `__getattr__` of the public module `namespace` of kernels."""

    def __getattr__(name: str) -> Any:
        if name in _names():
            return Refused(f"tf.raw_ops.{name}", way_out(name))
        raise AttributeError(f"TensorFlow has no tf.raw_ops.{name}", name=name, obj=sys.modules[namespace])

    return __getattr__


def way_out(name: str) -> str:
    """The alternative to calling the kernel `name`."""
    return next((alternative for pattern, alternative in _WAYS_OUT if re.search(pattern, name)), _ELSE)


@functools.cache
def _names() -> frozenset[str]:
    """The names of all kernels of TensorFlow 2.21."""
    return frozenset(Path(__file__).with_name("names.txt").read_text().split())
