"""User-defined handlers replace functions for arguments of extension types."""
# ruff: noqa: ARG001, ARG005, UP006, UP007, UP045  # handlers and annotations as users write them

from __future__ import annotations

import operator
from typing import List, Optional, Tuple, Union  # noqa: UP035

import pytest

import tfcompat as tf
from tests.cases.dtype import Symbol
from tfcompat._dropin.dispatch import api, elementwise


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor


class Narrow(Masked):
    pass


class Other(tf.experimental.ExtensionType):
    v: tf.Tensor


SOME = Masked([1.0, -2.0], [True, False])
OTHER = Other([1.0, 2.0])
COLUMN = tf.constant([1.0, 2.0])

# The functions that TensorFlow counts as elementwise, under public names.
UNARY = """
    abs acos acosh asin asinh atan atanh cos cosh exp floor negative round saturate_cast sigmoid sign sin sinh
    math.rsqrt sqrt square tan tanh cast ones_like zeros_like clip_by_value as_string bitwise.invert
    debugging.check_numerics image.adjust_brightness image.adjust_gamma image.convert_image_dtype
    image.random_brightness image.stateless_random_brightness io.decode_base64 io.encode_base64 logical_not math.angle
    math.bessel_i0 math.bessel_i0e math.bessel_i1 math.bessel_i1e math.ceil math.conj math.digamma math.erf math.erfc
    math.erfcinv math.erfinv math.expm1 math.imag math.is_finite math.is_inf math.is_nan math.lgamma math.log math.log1p
    math.log_sigmoid math.ndtri math.nextafter math.real math.reciprocal math.reciprocal_no_nan math.rint math.softplus
    math.special.bessel_j0 math.special.bessel_j1 math.special.bessel_k0 math.special.bessel_k0e math.special.bessel_k1
    math.special.bessel_k1e math.special.bessel_y0 math.special.bessel_y1 math.special.dawsn math.special.expint
    math.special.fresnel_cos math.special.fresnel_sin math.special.spence nn.elu nn.gelu nn.leaky_relu nn.relu nn.relu6
    nn.selu nn.silu nn.softsign strings.length strings.lower strings.regex_full_match strings.regex_replace
    strings.strip strings.substr strings.to_hash_bucket strings.to_hash_bucket_fast strings.to_hash_bucket_strong
    strings.to_number strings.unicode_script strings.unicode_transcode strings.upper
"""
BINARY = """
    add atan2 bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor bitwise.left_shift bitwise.right_shift complex
    divide equal math.floordiv greater greater_equal less less_equal logical_and logical_or math.divide_no_nan
    math.floormod math.logical_xor math.multiply_no_nan math.xdivy math.xlog1py math.xlogy math.zeta maximum minimum
    multiply nn.sigmoid_cross_entropy_with_logits not_equal pow realdiv scalar_mul math.squared_difference subtract
    truediv truncatediv truncatemod
"""


@pytest.fixture(autouse=True)
def _no_handlers():
    """Removes the handlers that a test registers."""
    yield
    for handler, _ in list(elementwise._handlers.values()):
        tf.experimental.unregister_dispatch_for(handler)
    for handler in {handler for known in api._apis.values() for handler in known.handlers}:
        tf.experimental.unregister_dispatch_for(handler)


def for_api(function, *signatures, answer):
    return tf.experimental.dispatch_for_api(function, *signatures)(answer)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: tf.add(SOME, 1), ("Masked", "int")),
        (lambda: tf.math.add(1, SOME), ("int", "Masked")),
        (lambda: tf.add(y=SOME, x=2), ("int", "Masked")),
        (lambda: tf.add(Narrow([1.0], [True]), 1), ("Narrow", "int")),
        (lambda: COLUMN + SOME, ("Tensor", "Masked")),
    ],
)
def test_any_signature_may_match(call, expected):
    for_api(tf.add, {"x": Masked}, {"y": Masked}, answer=lambda x, y: (type(x).__name__, type(y).__name__))
    assert call() == expected
    assert tf.add(COLUMN, 1.0).numpy().tolist() == [2.0, 3.0]


def test_conversion_has_handlers():
    for_api(
        tf.convert_to_tensor,
        {"value": Masked},
        answer=lambda value, dtype=None, dtype_hint=None: (type(value).__name__, dtype),
    )
    assert tf.convert_to_tensor(SOME) == ("Masked", None)
    assert tf.convert_to_tensor(SOME, tf.float64) == ("Masked", tf.float64)
    assert tf.convert_to_tensor(1.0).numpy() == 1.0


def test_annotations_are_a_signature():
    def reduce_sum(input_tensor, axis=None, keepdims=False):
        return input_tensor.values, axis, keepdims

    reduce_sum.__annotations__ = {
        "input_tensor": Masked
    }  # annotations of this file are texts, which TensorFlow refuses
    tf.experimental.dispatch_for_api(tf.reduce_sum)(reduce_sum)
    assert tf.reduce_sum(SOME, 1, True)[1:] == (1, True)
    assert tf.reduce_sum(input_tensor=SOME)[1:] == (None, False)


def test_places_name_parameters_and_lists_are_looked_into():
    for_api(tf.concat, {0: List[Masked]}, answer=lambda values, axis: (len(values), axis))
    assert tf.concat([SOME, SOME], 0) == (2, 0)
    assert tf.concat((SOME,), axis=1) == (1, 1)
    with pytest.raises(ValueError, match="Attempt to convert"):
        tf.concat([SOME, 1.0], 0)
    for_api(tf.stack, {"values": List[List[Other]]}, answer=lambda values, axis=0: "nested")
    assert tf.stack([[], [OTHER]]) == "nested"


def test_unions_match_each_and_some_composite_is_needed():
    either = Union[Masked, tf.Tensor]
    for_api(tf.add, {"x": either, "y": either}, answer=lambda x, y, name=None: name)
    assert tf.add(SOME, COLUMN, name="k") == "k"
    assert tf.add(COLUMN, COLUMN).numpy().tolist() == [2.0, 4.0]
    with pytest.raises(ValueError, match="Attempt to convert"):
        tf.add(SOME, 1.0)
    for_api(tf.concat, {"values": List[Union[Other, tf.Tensor]]}, answer=lambda values, axis: "mixed")
    assert tf.concat([COLUMN, OTHER], 0) == "mixed"
    assert tf.concat([COLUMN, COLUMN], 0).shape == (4,)


def test_handlers_come_before_what_is_known_of_sparse_tensors():
    for_api(tf.abs, {"x": tf.SparseTensor}, answer=lambda x: "sparse")
    assert tf.abs(tf.sparse.from_dense([[1]])) == "sparse"


def test_two_handlers_do_not_decide():
    first = for_api(tf.add, {"x": Masked}, answer=lambda x, y: "first")
    for_api(tf.add, {"x": Masked}, answer=lambda x, y, name=None: "second")
    with pytest.raises(ValueError, match=r"Multiple dispatch targets.*<lambda>.* match the arguments to add"):
        tf.add(SOME, 1)
    tf.experimental.unregister_dispatch_for(first)
    assert tf.add(SOME, 1) == "second"
    with pytest.raises(ValueError, match="was not registered using"):
        tf.experimental.unregister_dispatch_for(first)


def test_who_does_not_know_lets_the_function_answer():
    asked = []

    @tf.experimental.dispatch_for_api(tf.identity, {"input": Masked})
    def identity(input, name=None):
        asked.append(name)
        return NotImplemented

    assert tf.identity(SOME).values.numpy().tolist() == [1.0, -2.0]
    assert asked == [None]


def test_handler_without_name_gets_a_scope():
    scopes = []
    for_api(tf.add, {"x": Masked}, answer=lambda x, y: scopes.append(tf.get_current_name_scope()))
    tf.add(SOME, 1, "inner")
    tf.add(SOME, 1)
    assert scopes == ["inner", ""]


def test_handler_of_any_arguments_gets_them_as_given():
    for_api(tf.matmul, {"a": Masked}, answer=lambda *args, **kwargs: (len(args), sorted(kwargs)))
    assert tf.matmul(SOME, b=1, transpose_a=True) == (1, ["b", "transpose_a"])


def test_errors_of_a_handler_are_its_own():
    def broken(x, name=None):
        raise TypeError("mine")

    for_api(tf.abs, {"x": Masked}, answer=broken)
    with pytest.raises(TypeError, match="mine"):
        tf.abs(SOME)


@pytest.mark.parametrize("function", [len, 3, tf.einsum, tf.meshgrid, tf.RaggedTensor])
def test_functions_that_take_no_handlers(function):
    with pytest.raises(ValueError, match="does not support dispatch"):
        tf.experimental.dispatch_for_api(function, {"x": Masked})


@pytest.mark.parametrize(
    ("signature", "kind", "message"),
    [
        ([Masked], TypeError, "signatures must be dictionaries"),
        ({2.0: Masked}, TypeError, "signatures must be dictionaries"),
        ({"q": Masked}, ValueError, "unknown parameter 'q'"),
        ({7: Masked}, ValueError, "unknown parameter 7"),
        ({"x": Tuple[Masked]}, ValueError, "not currently supported by dispatch"),
        ({"x": "Masked"}, ValueError, "not currently supported by dispatch"),
        ({"x": List}, ValueError, "not currently supported by dispatch"),
        ({"x": Masked | Other}, ValueError, "not currently supported by dispatch"),
    ],
)
def test_signatures_that_are_none(signature, kind, message):
    with pytest.raises(kind, match=message):
        tf.experimental.dispatch_for_api(tf.abs, signature)


@pytest.mark.parametrize(
    ("handler", "kind", "message"),
    [
        (3, TypeError, "Expected dispatch_target to be callable; got 3"),
        (lambda y: y, ValueError, r"signature \(y, name=None\) does not match API's signature \(x, name=None\)"),
        (lambda x, name=None, q=1: x, ValueError, "does not match"),
        (lambda *args: args, ValueError, "wrong parameter order"),
    ],
)
def test_handlers_that_do_not_fit(handler, kind, message):
    with pytest.raises(kind, match=message):
        for_api(tf.abs, {"x": Optional[Masked]}, answer=handler)


def test_handlers_without_annotations_need_a_signature():
    with pytest.raises(ValueError, match="at least one signature"):
        tf.experimental.dispatch_for_api(tf.abs)(lambda x: x)


def masked_unary(api, x):
    return Masked(api(x.values), x.mask)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: tf.abs(SOME), [1.0, 2.0]),
        (lambda: tf.cast(dtype=tf.int32, x=SOME), [1, -2]),
        (lambda: tf.ones_like(SOME, dtype=tf.int32), [1, 1]),
        (lambda: tf.clip_by_value(SOME, 0.0, 1.0), [1.0, 0.0]),
        (lambda: tf.nn.leaky_relu(SOME, alpha=0.5), [1.0, -1.0]),
        (lambda: tf.image.adjust_brightness(SOME, 0.5), [1.5, -1.5]),
        (lambda: tf.debugging.check_numerics(SOME, "x"), [1.0, -2.0]),
        (lambda: tf.zeros_like(SOME, name="q"), [0.0, 0.0]),
        (lambda: tf.function(tf.abs)(SOME), [1.0, 2.0]),
    ],
)
def test_unary_functions_share_a_handler(call, expected):
    tf.experimental.dispatch_for_unary_elementwise_apis(Masked)(masked_unary)
    found = call()
    assert (found.values.numpy().tolist(), found.mask.numpy().tolist()) == (expected, [True, False])
    with pytest.raises(ValueError, match="Attempt to convert"):
        tf.nn.softmax(SOME)
    with pytest.raises(ValueError, match=r"A unary elementwise dispatch handler .* has already been registered for"):
        tf.experimental.dispatch_for_unary_elementwise_apis(Masked)(masked_unary)


def test_binary_functions_and_operators_share_a_handler():
    names = []

    @tf.experimental.dispatch_for_binary_elementwise_apis(tf.Tensor, Masked)
    def binary(api, x, y):
        names.append(getattr(api, "__name__", "?"))
        return Masked(api(x, y.values), y.mask)

    for operate in (operator.sub, operator.mul, operator.truediv, operator.pow, operator.lt):
        operate(COLUMN, SOME)
    assert (COLUMN - SOME).values.numpy().tolist() == [0.0, 4.0]
    assert tf.divide(COLUMN, SOME).values.numpy().tolist() == [1.0, -1.0]
    assert names[:5] == ["subtract", "multiply", "truediv", "pow", "less"]
    assert (tf.Variable([1.0, 2.0]) * SOME).values.numpy().tolist() == [1.0, -4.0]
    with pytest.raises(ValueError, match="Attempt to convert"):
        tf.add(tf.Variable(1.0), SOME)
    with pytest.raises(ValueError, match="Attempt to convert"):
        tf.math.igamma(COLUMN, SOME)
    tf.experimental.unregister_dispatch_for(binary)
    with pytest.raises(ValueError, match="Attempt to convert"):
        tf.multiply(COLUMN, SOME)


def test_assertions_share_a_handler():
    @tf.experimental.dispatch_for_binary_elementwise_assert_apis(Masked, Masked)
    def compare(api, x, y):
        api(x.values, y.values)
        return 5

    assert tf.debugging.assert_equal(SOME, SOME) == 5
    with pytest.raises(tf.errors.InvalidArgumentError, match="hello"):
        tf.debugging.assert_less(SOME, SOME, message="hello")


def test_tapes_see_through_handlers():
    tf.experimental.dispatch_for_unary_elementwise_apis(Masked)(masked_unary)
    x = tf.Variable([1.0, -2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.square(Masked(x * 1.0, [True, False])).values)
    assert tape.gradient(y, x).numpy().tolist() == [2.0, -4.0]


def test_elementwise_functions_are_those_of_tensorflow():
    assert {id(Symbol(name).resolve(tf)) for name in UNARY.split()} == set(map(id, elementwise.UNARY))
    assert {id(Symbol(name).resolve(tf)) for name in BINARY.split()} == set(map(id, elementwise.BINARY))
    assert len(elementwise.ASSERT) == 7


def test_functions_without_handlers_are_as_they_were():
    code, names = tf.add.__code__, dict(vars(tf.add))
    handler = for_api(tf.add, {"x": Masked}, answer=lambda x, y: "mine")
    assert tf.add.__code__ is not code
    assert "(x: 'Array', y: 'Array'" in str(tf.add.__signature__)
    tf.experimental.unregister_dispatch_for(handler)
    assert (tf.add.__code__, vars(tf.add)) == (code, names)


def test_defaults_stay_where_a_function_has_a_handler():
    for_api(tf.transpose, {"a": Other}, answer=lambda a, perm=None, conjugate=False: (perm, conjugate))
    assert tf.transpose(OTHER) == (None, False)
    assert tf.transpose([[1, 2]]).shape == (2, 1)
    assert tf.transpose(tf.ones([1, 2, 3]), [2, 0, 1]).shape == (3, 1, 2)
