"""TensorFlow 2's public names, on JAX: `import tfcompat as tf`.

Further names are `counters`, `counted` and `sync`, which count and run recorded programs, `config.settings` and
`config.immediate`, which configure recording, `from_jax`, `shard`, `install_as_tensorflow`, and
`load_ipython_extension`.
"""

import sys as _sys
import typing as _typing

from tfcompat import (
    autodiff,
    bitwise,
    compat,
    config,
    debugging,
    dtypes,
    errors,
    math,
    nest,
    ragged,
    random,
    sparse,
    types,
    version,
)
from tfcompat._autodiff.aggregation import AggregationMethod
from tfcompat._autodiff.custom import custom_gradient, grad_pass_through, recompute_grad
from tfcompat._autodiff.suspension import init_scope
from tfcompat._autodiff.tape import GradientTape, UnconnectedGradients
from tfcompat._core.calls.convert import constant, is_tensor
from tfcompat._core.structure.conversion import register_tensor_conversion_function
from tfcompat._core.structure.none_spec import NoneTensorSpec
from tfcompat._core.structure.spec import TensorSpec, TypeSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.counter import counted, counters
from tfcompat._core.system.device_spec import DeviceSpec
from tfcompat._core.tracing.display import listing_of
from tfcompat._core.tracing.trace import sync
from tfcompat._core.types.dtype import (
    DType,
    as_dtype,
    bfloat16,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    resource,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
    variant,
)
from tfcompat._core.types.dtype import bool_ as bool
from tfcompat._core.types.dtype import float16 as half
from tfcompat._core.types.dtype import float64 as double
from tfcompat._core.types.shape import TensorShape
from tfcompat._data.blocks.optional import OptionalSpec
from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.absence import directory as _directory
from tfcompat._dropin.alias import install_as_tensorflow
from tfcompat._dropin.gradient_registration import RegisterGradient, no_gradient
from tfcompat._dropin.ipython import load_ipython_extension
from tfcompat._dropin.logger import get_logger
from tfcompat._dropin.placement import device
from tfcompat._dropin.publication import publish as _publish
from tfcompat._function.control.branch import case, cond, switch_case
from tfcompat._function.control.while_loop import while_loop
from tfcompat._function.functions.decorator import function
from tfcompat._function.functions.type_spec import is_symbolic_tensor, type_spec_from_value
from tfcompat._function.graphs.gradients import gradients, hessians
from tfcompat._function.graphs.jax_function import from_jax
from tfcompat._function.graphs.mode import executing_eagerly, inside_function
from tfcompat._function.graphs.python_call import numpy_function, py_function
from tfcompat._function.graphs.static_value import get_static_value
from tfcompat._function.graphs.timestamp import timestamp
from tfcompat._function.rows.fold import foldl, foldr, scan
from tfcompat._function.rows.map import map_fn, vectorized_map
from tfcompat._function.tensor_array.array import TensorArray
from tfcompat._function.tensor_array.spec import TensorArraySpec
from tfcompat._ops.array.block import batch_to_space, space_to_batch
from tfcompat._ops.array.block import space_to_batch as space_to_batch_nd
from tfcompat._ops.array.creation import (
    eye,
    fill,
    linspace,
    meshgrid,
    one_hot,
    ones,
    ones_like,
    range,
    sequence_mask,
    zeros,
    zeros_like,
)
from tfcompat._ops.array.extent import broadcast_dynamic_shape, broadcast_static_shape, rank, shape, shape_n, size
from tfcompat._ops.array.gathering import boolean_mask, gather, gather_nd, where
from tfcompat._ops.array.indexing import strided_slice
from tfcompat._ops.array.joining import concat, split, stack, unstack
from tfcompat._ops.array.layout import (
    broadcast_to,
    expand_dims,
    repeat,
    reshape,
    reverse,
    reverse_sequence,
    roll,
    squeeze,
    tile,
    transpose,
)
from tfcompat._ops.array.padding import pad
from tfcompat._ops.array.position import unravel_index
from tfcompat._ops.array.scatter import (
    scatter_nd,
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
)
from tfcompat._ops.array.window import slice_ as slice
from tfcompat._ops.combination import add_n, scalar_mul
from tfcompat._ops.conversion import convert_to_tensor
from tfcompat._ops.debugging.printing import print
from tfcompat._ops.debugging.shape_assertion import assert_rank
from tfcompat._ops.debugging.value_assertion import Assert, assert_equal, assert_greater, assert_less
from tfcompat._ops.elementwise.algebraic import (
    abs,
    add,
    divide,
    maximum,
    minimum,
    multiply,
    negative,
    pow,
    realdiv,
    sign,
    sqrt,
    square,
    subtract,
    truediv,
    truncatediv,
    truncatemod,
)
from tfcompat._ops.elementwise.comparison import (
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    not_equal,
)
from tfcompat._ops.elementwise.complex_number import complex
from tfcompat._ops.elementwise.rounding import bitcast, cast, floor, round, saturate_cast
from tfcompat._ops.elementwise.transcendental import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    exp,
    sigmoid,
    sin,
    sinh,
    tan,
    tanh,
)
from tfcompat._ops.fold.counting import histogram_fixed_width, histogram_fixed_width_bins
from tfcompat._ops.fold.reduction import (
    argmax,
    argmin,
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from tfcompat._ops.fold.running import cumsum
from tfcompat._ops.fold.segment import dynamic_partition, dynamic_stitch
from tfcompat._ops.identity import ensure_shape, guarantee_const, identity, identity_n, stop_gradient
from tfcompat._ops.indexed_slices.rows import IndexedSlices
from tfcompat._ops.indexed_slices.spec import IndexedSlicesSpec
from tfcompat._ops.linalg.contraction import einsum, matmul, tensordot
from tfcompat._ops.linalg.decomposition import eig, eigvals
from tfcompat._ops.linalg.norm import norm
from tfcompat._ops.network.clip import clip_by_global_norm, clip_by_norm, clip_by_value
from tfcompat._ops.order.approximate_top import approx_top_k
from tfcompat._ops.order.sorting import argsort, searchsorted, sort, unique, unique_with_counts
from tfcompat._ops.ragged.spec import RaggedTensorSpec
from tfcompat._ops.ragged.tensor import RaggedTensor
from tfcompat._ops.random.index_shuffle import random_index_shuffle
from tfcompat._ops.sequence.edit_distance import edit_distance
from tfcompat._ops.sliding.atrous import required_space_to_batch_paddings
from tfcompat._ops.sliding.volume_patch import extract_volume_patches
from tfcompat._ops.sparse.tensor import SparseTensor, SparseTensorSpec
from tfcompat._ops.text.number import as_string
from tfcompat._ops.text.row_fingerprint import fingerprint
from tfcompat._state.creator import variable_creator_scope
from tfcompat._state.critical_section import CriticalSection
from tfcompat._state.execution import control_dependencies, group, no_op, parallel_stack
from tfcompat._state.execution import tuple_ as tuple
from tfcompat._state.initializer import Constant as constant_initializer
from tfcompat._state.initializer import Ones as ones_initializer
from tfcompat._state.initializer import RandomNormal as random_normal_initializer
from tfcompat._state.initializer import RandomUniform as random_uniform_initializer
from tfcompat._state.initializer import Zeros as zeros_initializer
from tfcompat._state.module import Module
from tfcompat._state.scope import get_current_name_scope, name_scope
from tfcompat._state.sharding import shard
from tfcompat._state.variable import Variable, VariableAggregation, VariableSynchronization
from tfcompat._summary.tensor_proto import make_ndarray, make_tensor_proto
from tfcompat.version import COMPILER_VERSION as __compiler_version__
from tfcompat.version import GIT_VERSION as __git_version__
from tfcompat.version import VERSION as __version__

newaxis = None

__all__ = [
    "AggregationMethod",
    "Assert",
    "CriticalSection",
    "DType",
    "DeviceSpec",
    "GradientTape",
    "IndexedSlices",
    "IndexedSlicesSpec",
    "Module",
    "NoneTensorSpec",
    "OptionalSpec",
    "RaggedTensor",
    "RaggedTensorSpec",
    "RegisterGradient",
    "SparseTensor",
    "SparseTensorSpec",
    "Tensor",
    "TensorArray",
    "TensorArraySpec",
    "TensorShape",
    "TensorSpec",
    "TypeSpec",
    "UnconnectedGradients",
    "Variable",
    "VariableAggregation",
    "VariableSynchronization",
    "__compiler_version__",
    "__git_version__",
    "__version__",
    "abs",
    "acos",
    "acosh",
    "add",
    "add_n",
    "approx_top_k",
    "argmax",
    "argmin",
    "argsort",
    "as_dtype",
    "as_string",
    "asin",
    "asinh",
    "assert_equal",
    "assert_greater",
    "assert_less",
    "assert_rank",
    "atan",
    "atan2",
    "atanh",
    "audio",
    "autodiff",
    "autograph",
    "batch_to_space",
    "bfloat16",
    "bitcast",
    "bitwise",
    "bool",
    "boolean_mask",
    "broadcast_dynamic_shape",
    "broadcast_static_shape",
    "broadcast_to",
    "case",
    "cast",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "compat",
    "complex",
    "complex64",
    "complex128",
    "concat",
    "cond",
    "config",
    "constant",
    "constant_initializer",
    "control_dependencies",
    "convert_to_tensor",
    "cos",
    "cosh",
    "counted",
    "counters",
    "cumsum",
    "custom_gradient",
    "data",
    "debugging",
    "device",
    "distribute",
    "divide",
    "double",
    "dtypes",
    "dynamic_partition",
    "dynamic_stitch",
    "edit_distance",
    "eig",
    "eigvals",
    "einsum",
    "ensure_shape",
    "equal",
    "errors",
    "executing_eagerly",
    "exp",
    "expand_dims",
    "experimental",
    "extract_volume_patches",
    "eye",
    "fill",
    "fingerprint",
    "float16",
    "float32",
    "float64",
    "floor",
    "foldl",
    "foldr",
    "from_jax",
    "function",
    "gather",
    "gather_nd",
    "get_current_name_scope",
    "get_logger",
    "get_static_value",
    "grad_pass_through",
    "gradients",
    "greater",
    "greater_equal",
    "group",
    "guarantee_const",
    "half",
    "hessians",
    "histogram_fixed_width",
    "histogram_fixed_width_bins",
    "identity",
    "identity_n",
    "image",
    "init_scope",
    "inside_function",
    "install_as_tensorflow",
    "int8",
    "int16",
    "int32",
    "int64",
    "io",
    "is_symbolic_tensor",
    "is_tensor",
    "less",
    "less_equal",
    "linalg",
    "linspace",
    "listing_of",
    "load_ipython_extension",
    "logical_and",
    "logical_not",
    "logical_or",
    "lookup",
    "make_ndarray",
    "make_tensor_proto",
    "map_fn",
    "math",
    "matmul",
    "maximum",
    "meshgrid",
    "minimum",
    "multiply",
    "name_scope",
    "negative",
    "nest",
    "newaxis",
    "nn",
    "no_gradient",
    "no_op",
    "norm",
    "not_equal",
    "numpy_function",
    "one_hot",
    "ones",
    "ones_initializer",
    "ones_like",
    "pad",
    "parallel_stack",
    "pow",
    "print",
    "profiler",
    "py_function",
    "quantization",
    "ragged",
    "random",
    "random_index_shuffle",
    "random_normal_initializer",
    "random_uniform_initializer",
    "range",
    "rank",
    "raw_ops",
    "realdiv",
    "recompute_grad",
    "reduce_all",
    "reduce_any",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "register_tensor_conversion_function",
    "repeat",
    "required_space_to_batch_paddings",
    "reshape",
    "resource",
    "reverse",
    "reverse_sequence",
    "roll",
    "round",
    "saturate_cast",
    "saved_model",
    "scalar_mul",
    "scan",
    "scatter_nd",
    "searchsorted",
    "sequence_mask",
    "sets",
    "shape",
    "shape_n",
    "shard",
    "sigmoid",
    "sign",
    "signal",
    "sin",
    "sinh",
    "size",
    "slice",
    "sort",
    "space_to_batch",
    "space_to_batch_nd",
    "sparse",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "stop_gradient",
    "strided_slice",
    "string",
    "strings",
    "subtract",
    "summary",
    "switch_case",
    "sync",
    "sysconfig",
    "tan",
    "tanh",
    "tensor_scatter_nd_add",
    "tensor_scatter_nd_max",
    "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update",
    "tensordot",
    "test",
    "tile",
    "timestamp",
    "tpu",
    "train",
    "transpose",
    "truediv",
    "truncatediv",
    "truncatemod",
    "tuple",
    "type_spec_from_value",
    "types",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "unique",
    "unique_with_counts",
    "unravel_index",
    "unstack",
    "variable_creator_scope",
    "variant",
    "vectorized_map",
    "version",
    "where",
    "while_loop",
    "xla",
    "zeros",
    "zeros_initializer",
    "zeros_like",
]

_publish(_sys.modules[__name__])

if _typing.TYPE_CHECKING:
    from tfcompat import (
        audio,
        autograph,
        data,
        distribute,
        experimental,
        image,
        io,
        linalg,
        lookup,
        nn,
        profiler,
        quantization,
        raw_ops,
        saved_model,
        sets,
        signal,
        strings,
        summary,
        sysconfig,
        test,
        tpu,
        train,
        xla,
    )
else:
    __getattr__, __dir__ = _absence(__name__), _directory(__name__)
