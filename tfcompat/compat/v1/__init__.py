"""`tf.compat.v1`: names of TensorFlow 1 that work in eager execution."""

# ruff: noqa: I001, RUF022
# fmt: off
import sys as _sys
import typing as _typing

from tfcompat import (
    Assert, DType, GradientTape, IndexedSlices, Module, RaggedTensor, RaggedTensorSpec, RegisterGradient, SparseTensor,
    SparseTensorSpec, Tensor, TensorArray, TensorShape, TensorSpec, TypeSpec, UnconnectedGradients, VariableAggregation,
    VariableSynchronization, abs, acos, acosh, add, add_n, argsort, as_dtype, as_string, asin, asinh, atan, atan2,
    atanh, bfloat16, bitcast, bool, broadcast_dynamic_shape, broadcast_static_shape, broadcast_to, cast,
    clip_by_global_norm, clip_by_norm, clip_by_value, complex, complex128, complex64, concat, control_dependencies, cos,
    cosh, cumsum, custom_gradient, divide, double, dynamic_partition, dynamic_stitch, einsum, ensure_shape, equal,
    executing_eagerly, exp, eye, fill, float16, float32, float64, floor, foldl, foldr, function, get_logger,
    get_static_value,
    grad_pass_through, greater, greater_equal, group, guarantee_const, half, histogram_fixed_width,
    histogram_fixed_width_bins, identity, identity_n, init_scope, int16, int32, int64, int8, is_tensor, less,
    less_equal, linspace, linspace as lin_space, logical_and, logical_not, logical_or, map_fn, matmul, maximum,
    meshgrid,
    minimum, multiply, negative, newaxis, no_gradient, no_gradient as NoGradient, no_gradient as NotDifferentiable,
    no_op, not_equal, numpy_function, one_hot, ones, pow, print, py_function,
    random_index_shuffle, range, rank, realdiv, recompute_grad, repeat, required_space_to_batch_paddings, reshape,
    resource, reverse, reverse as reverse_v2, roll, round, saturate_cast, scalar_mul, scan, scatter_nd, searchsorted,
    sequence_mask, shape_n,
    sigmoid, sign, sin, sinh, slice, sort, space_to_batch_nd, split, sqrt, square, stack, stop_gradient, strided_slice,
    string, subtract, switch_case, tan, tanh, tensor_scatter_nd_add, tensor_scatter_nd_add as tensor_scatter_add,
    tensor_scatter_nd_max, tensor_scatter_nd_min, tensor_scatter_nd_sub, tensor_scatter_nd_sub as tensor_scatter_sub,
    tensor_scatter_nd_update, tensor_scatter_nd_update as tensor_scatter_update, tensordot, tile, truediv, truncatediv,
    truncatemod, uint16, uint32, uint64, uint8, unique, unique_with_counts, unstack, variant, vectorized_map,
    where as where_v2, zeros,
)
from tfcompat._core.types.dimension import Dimension
from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.compatibility import dimension_at_index, dimension_value
from tfcompat._keras.shape_graph import placeholder, sparse_placeholder
from tfcompat._summary.message import with_messages as _with_messages
from tfcompat._first_version.argument import (
    argmax, argmin, convert_to_tensor, convert_to_tensor_or_sparse_tensor, expand_dims, norm, pad,
    placeholder_with_default, py_func, shape, size, squeeze, transpose, where,
)
from tfcompat._first_version.assertion import (
    assert_equal, assert_greater, assert_greater_equal, assert_integer, assert_less, assert_less_equal, assert_near,
    assert_negative, assert_non_negative, assert_non_positive, assert_none_equal, assert_positive, assert_rank,
    assert_rank_at_least, assert_rank_in, assert_scalar, assert_type,
)
from tfcompat._first_version.assignment import (
    assign, assign_add, assign_sub, batch_scatter_update, count_up_to, global_variables_initializer,
    global_variables_initializer as initialize_all_variables, is_variable_initialized, local_variables_initializer,
    local_variables_initializer as initialize_local_variables, report_uninitialized_variables, scatter_add, scatter_div,
    scatter_max, scatter_min, scatter_mul, scatter_nd_add, scatter_nd_sub, scatter_nd_update, scatter_sub,
    scatter_update, tables_initializer, tables_initializer as initialize_all_tables, variables_initializer,
    variables_initializer as initialize_variables,
)
from tfcompat._first_version.behaviour import (
    control_flow_v2_enabled, enable_control_flow_v2, enable_eager_execution, enable_resource_variables,
    enable_tensor_equality, enable_v2_behavior, enable_v2_tensorshape, executing_eagerly_outside_functions,
    get_default_session, get_seed, resource_variables_enabled,
)
from tfcompat._first_version.control_flow import cond, gradients, while_loop
from tfcompat._first_version.device import DeviceSpec, device
from tfcompat._first_version.gathering import boolean_mask, gather, gather_nd, sparse_concat
from tfcompat._first_version.collection import (
    GraphKeys, add_to_collection, add_to_collections, all_variables, get_collection, get_collection_ref,
    global_variables, local_variables, model_variables, moving_average_variables, trainable_variables,
)
from tfcompat._first_version.conversion import (
    div, to_bfloat16, to_complex128, to_complex64, to_double, to_float, to_int32, to_int64,
)
from tfcompat._first_version.graph import get_default_graph, reset_default_graph
from tfcompat._first_version.initializer import (
    Constant as constant_initializer, GlorotNormal as glorot_normal_initializer,
    GlorotUniform as glorot_uniform_initializer, Ones as ones_initializer, Orthogonal as orthogonal_initializer,
    RandomNormal as random_normal_initializer, RandomUniform as random_uniform_initializer,
    TruncatedNormal as truncated_normal_initializer, VarianceScaling as variance_scaling_initializer,
    Zeros as zeros_initializer,
)
from tfcompat._first_version.random import multinomial, poisson as random_poisson
from tfcompat._first_version.reduction import (
    reduce_all, reduce_any, reduce_logsumexp, reduce_max, reduce_mean, reduce_min, reduce_prod, reduce_sum,
)
from tfcompat._first_version.variable import Variable
from tfcompat._first_version.variable_scope import (
    AUTO_REUSE, VariableScope, get_local_variable, get_variable, get_variable_scope, name_scope, variable_scope,
)
from tfcompat._dropin.publication import publish as _publish
from tfcompat._testing.value import SparseTensorValue
from tfcompat._random.seed import set_seed as set_random_seed
from tfcompat.compat.v1 import (
    app, audio, autograph, bitwise, config, data, debugging, dtypes, errors, gfile, image, initializers, io, linalg,
    logging, lookup, losses, manip, math, nest, nn, python_io, quantization, ragged, random, resource_loader, sets,
    saved_model, signal, sparse, spectral, strings, test, train,
)
from tfcompat.debugging import assert_proper_iterable, assert_same_float_dtype, check_numerics, is_numeric_tensor
from tfcompat.errors import OpError
from tfcompat.image import random_crop
from tfcompat.compat.v1.io import (
    FixedLenFeature, FixedLenSequenceFeature, SparseFeature, VarLenFeature, decode_base64, decode_compressed,
    decode_csv, decode_json_example, decode_raw, encode_base64, parse_example, parse_single_example,
    parse_single_sequence_example, parse_tensor, serialize_tensor,
)
from tfcompat.io import matching_files, read_file, write_file
from tfcompat.linalg import (
    band_part as matrix_band_part, cholesky, cholesky_solve, cross, det as matrix_determinant, diag as matrix_diag,
    diag_part as matrix_diag_part, eigh as self_adjoint_eig, eigvalsh as self_adjoint_eigvals, global_norm,
    inv as matrix_inverse, lstsq as matrix_solve_ls, matrix_transpose, qr, set_diag as matrix_set_diag,
    solve as matrix_solve, sqrtm as matrix_square_root, svd, tensor_diag as diag, tensor_diag_part as diag_part, trace,
    triangular_solve as matrix_triangular_solve,
)
from tfcompat.math import (
    accumulate_n, angle, betainc, ceil, conj, cumprod, digamma, divide_no_nan as div_no_nan, erf, erfc, expm1, floordiv,
    floordiv as floor_div, floormod, igamma, igammac, imag, invert_permutation, is_finite, is_inf, is_nan,
    is_non_decreasing, is_strictly_increasing, lbeta, lgamma, log, log1p, log_sigmoid, logical_xor, mod, polygamma,
    real, reciprocal, rint, rsqrt, segment_max, segment_mean, segment_min, segment_prod, segment_sum,
    squared_difference, unsorted_segment_max, unsorted_segment_mean, unsorted_segment_min, unsorted_segment_prod,
    unsorted_segment_sqrt_n, unsorted_segment_sum, zeta,
)
from tfcompat.quantization import (
    fake_quant_with_min_max_args, fake_quant_with_min_max_args_gradient, fake_quant_with_min_max_vars,
    fake_quant_with_min_max_vars_gradient, fake_quant_with_min_max_vars_per_channel,
    fake_quant_with_min_max_vars_per_channel_gradient,
)
from tfcompat.random import (
    gamma as random_gamma, normal as random_normal, shuffle as random_shuffle, truncated_normal,
    uniform as random_uniform,
)
from tfcompat.signal import fft, fft2d, fft3d, ifft, ifft2d, ifft3d
from tfcompat.sparse import (
    fill_empty_rows as sparse_fill_empty_rows, mask as sparse_mask, maximum as sparse_maximum,
    minimum as sparse_minimum, reorder as sparse_reorder, reset_shape as sparse_reset_shape, reshape as sparse_reshape,
    retain as sparse_retain, slice as sparse_slice, softmax as sparse_softmax,
    sparse_dense_matmul as sparse_tensor_dense_matmul, to_dense as sparse_tensor_to_dense,
    to_indicator as sparse_to_indicator, transpose as sparse_transpose,
)
from tfcompat.strings import (
    join as string_join, regex_replace, strip as string_strip, to_hash_bucket_fast as string_to_hash_bucket_fast,
    to_hash_bucket_strong as string_to_hash_bucket_strong,
)
from tfcompat.version import VERSION, VERSION as __version__

__all__ = [
    "AUTO_REUSE", "Assert", "DType", "DeviceSpec", "Dimension", "Event", "FixedLenFeature", "FixedLenSequenceFeature",
    "GradientTape", "GraphKeys", "HistogramProto", "IndexedSlices", "Module", "NoGradient", "NotDifferentiable",
    "OpError", "RaggedTensor", "RaggedTensorSpec", "RegisterGradient", "SparseFeature", "SparseTensor",
    "SparseTensorSpec", "SparseTensorValue", "Summary", "SummaryMetadata", "Tensor", "TensorArray", "TensorShape",
    "TensorSpec", "TypeSpec", "UnconnectedGradients", "VERSION", "VarLenFeature", "Variable", "VariableAggregation",
    "VariableScope", "VariableSynchronization", "__version__", "abs", "accumulate_n", "acos", "acosh", "add", "add_n",
    "add_to_collection", "add_to_collections", "all_variables", "angle", "app", "argmax", "argmin", "argsort",
    "as_dtype", "as_string", "asin", "asinh", "assert_equal", "assert_greater", "assert_greater_equal",
    "assert_integer", "assert_less", "assert_less_equal", "assert_near", "assert_negative", "assert_non_negative",
    "assert_non_positive", "assert_none_equal", "assert_positive", "assert_proper_iterable", "assert_rank",
    "assert_rank_at_least", "assert_rank_in", "assert_same_float_dtype", "assert_scalar", "assert_type", "assign",
    "assign_add", "assign_sub", "atan", "atan2", "atanh", "audio", "autograph", "batch_scatter_update", "betainc",
    "bfloat16", "bitcast", "bitwise", "bool", "boolean_mask", "broadcast_dynamic_shape", "broadcast_static_shape",
    "broadcast_to", "cast", "ceil", "check_numerics", "cholesky", "cholesky_solve", "clip_by_global_norm",
    "clip_by_norm", "clip_by_value", "complex", "complex128", "complex64", "concat", "cond", "config", "conj",
    "constant_initializer", "control_dependencies", "control_flow_v2_enabled", "convert_to_tensor",
    "convert_to_tensor_or_sparse_tensor",
    "cos", "cosh", "count_up_to", "cross", "cumprod", "cumsum", "custom_gradient", "data", "debugging", "decode_base64",
    "decode_compressed", "decode_csv", "decode_json_example", "decode_raw", "device", "diag", "diag_part", "digamma",
    "dimension_at_index", "dimension_value", "div", "div_no_nan", "divide", "double", "dtypes", "dynamic_partition",
    "dynamic_stitch", "einsum", "enable_control_flow_v2", "enable_eager_execution", "enable_resource_variables",
    "enable_tensor_equality", "enable_v2_behavior", "enable_v2_tensorshape", "encode_base64", "ensure_shape", "equal",
    "erf", "erfc", "errors", "executing_eagerly", "executing_eagerly_outside_functions", "exp", "expand_dims", "expm1",
    "eye", "fake_quant_with_min_max_args", "fake_quant_with_min_max_args_gradient", "fake_quant_with_min_max_vars",
    "fake_quant_with_min_max_vars_gradient", "fake_quant_with_min_max_vars_per_channel",
    "fake_quant_with_min_max_vars_per_channel_gradient", "fft", "fft2d", "fft3d", "fill", "float16", "float32",
    "float64", "floor", "floor_div", "floordiv", "floormod", "foldl", "foldr", "function", "gather", "gather_nd",
    "get_collection", "get_collection_ref", "get_default_graph", "get_default_session", "get_local_variable",
    "get_logger", "get_seed", "get_static_value", "get_variable", "get_variable_scope", "gfile", "global_norm",
    "global_variables", "global_variables_initializer", "glorot_normal_initializer", "glorot_uniform_initializer",
    "grad_pass_through", "gradients", "greater", "greater_equal", "group", "guarantee_const", "half",
    "histogram_fixed_width", "histogram_fixed_width_bins", "identity", "identity_n", "ifft", "ifft2d", "ifft3d",
    "igamma", "igammac", "imag", "image", "init_scope", "initialize_all_tables", "initialize_all_variables",
    "initialize_local_variables", "initialize_variables", "initializers", "int16", "int32", "int64", "int8",
    "invert_permutation", "io", "is_finite", "is_inf", "is_nan", "is_non_decreasing", "is_numeric_tensor",
    "is_strictly_increasing", "is_tensor", "is_variable_initialized", "lbeta", "less", "less_equal", "lgamma",
    "lin_space", "linalg", "linspace", "local_variables", "local_variables_initializer", "log", "log1p", "log_sigmoid",
    "logging", "logical_and", "logical_not", "logical_or", "logical_xor", "lookup", "losses", "manip", "map_fn",
    "matching_files", "math", "matmul", "matrix_band_part", "matrix_determinant", "matrix_diag", "matrix_diag_part",
    "matrix_inverse", "matrix_set_diag", "matrix_solve", "matrix_solve_ls", "matrix_square_root", "matrix_transpose",
    "matrix_triangular_solve", "maximum", "meshgrid", "minimum", "mod", "model_variables", "moving_average_variables",
    "multinomial", "multiply", "name_scope", "negative", "nest", "newaxis", "nn", "no_gradient", "no_op", "norm",
    "not_equal", "numpy_function", "one_hot", "ones", "ones_initializer", "orthogonal_initializer", "pad",
    "parse_example", "parse_single_example", "parse_single_sequence_example", "parse_tensor", "placeholder",
    "placeholder_with_default", "polygamma", "pow", "print", "py_func", "py_function", "python_io", "qr",
    "quantization", "ragged", "random", "random_crop", "random_gamma", "random_index_shuffle", "random_normal",
    "random_normal_initializer", "random_poisson", "random_shuffle", "random_uniform", "random_uniform_initializer",
    "range", "rank", "read_file", "real", "realdiv", "reciprocal", "recompute_grad", "reduce_all", "reduce_any",
    "reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_sum", "regex_replace",
    "repeat", "report_uninitialized_variables", "required_space_to_batch_paddings", "reset_default_graph", "reshape",
    "resource", "resource_loader", "resource_variables_enabled", "reverse", "reverse_v2", "rint", "roll", "round",
    "rsqrt", "saturate_cast", "saved_model", "scalar_mul", "scan", "scatter_add", "scatter_div", "scatter_max",
    "scatter_min", "scatter_mul", "scatter_nd", "scatter_nd_add", "scatter_nd_sub", "scatter_nd_update", "scatter_sub",
    "scatter_update", "searchsorted", "segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum",
    "self_adjoint_eig", "self_adjoint_eigvals", "sequence_mask", "serialize_tensor", "set_random_seed", "sets", "shape",
    "shape_n", "sigmoid", "sign", "signal", "sin", "sinh", "size", "slice", "sort", "space_to_batch_nd", "sparse",
    "sparse_concat", "sparse_fill_empty_rows", "sparse_mask", "sparse_maximum", "sparse_minimum", "sparse_placeholder",
    "sparse_reorder", "sparse_reset_shape", "sparse_reshape", "sparse_retain", "sparse_slice", "sparse_softmax",
    "sparse_tensor_dense_matmul", "sparse_tensor_to_dense", "sparse_to_indicator", "sparse_transpose", "spectral",
    "split", "sqrt", "square", "squared_difference", "squeeze", "stack", "stop_gradient", "strided_slice", "string",
    "string_join", "string_strip", "string_to_hash_bucket_fast", "string_to_hash_bucket_strong", "strings", "subtract",
    "svd", "switch_case", "tables_initializer", "tan", "tanh", "tensor_scatter_add", "tensor_scatter_nd_add",
    "tensor_scatter_nd_max", "tensor_scatter_nd_min", "tensor_scatter_nd_sub", "tensor_scatter_nd_update",
    "tensor_scatter_sub", "tensor_scatter_update", "tensordot", "test", "tile", "to_bfloat16", "to_complex128",
    "to_complex64", "to_double", "to_float", "to_int32", "to_int64", "trace", "train", "trainable_variables",
    "transpose", "truediv", "truncated_normal", "truncated_normal_initializer", "truncatediv", "truncatemod", "uint16",
    "uint32", "uint64", "uint8", "unique", "unique_with_counts", "unsorted_segment_max", "unsorted_segment_mean",
    "unsorted_segment_min", "unsorted_segment_prod", "unsorted_segment_sqrt_n", "unsorted_segment_sum", "unstack",
    "variable_scope", "variables_initializer", "variance_scaling_initializer", "variant", "vectorized_map", "where",
    "where_v2", "while_loop", "write_file", "zeros", "zeros_initializer", "zeta",
]

_publish(_sys.modules[__name__])

if _typing.TYPE_CHECKING:
    Event: _typing.Any
    HistogramProto: _typing.Any
    Summary: _typing.Any
    SummaryMetadata: _typing.Any
else:
    __getattr__ = _with_messages(__name__, _absence(__name__))
