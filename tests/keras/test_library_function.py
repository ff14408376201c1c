"""Private functions of TensorFlow that libraries other than Keras 3 call. Expected values are TensorFlow's."""

from __future__ import annotations

import operator
from collections import OrderedDict, namedtuple

import pytest

import tfcompat as tf

tf.keras  # noqa: B018  # makes `tensorflow` importable

from tensorflow.python.autograph.pyct import anno, parser, qual_names  # noqa: E402
from tensorflow.python.data.util import nest as element_nest  # noqa: E402
from tensorflow.python.eager import context  # noqa: E402
from tensorflow.python.ops import control_flow_util  # noqa: E402
from tensorflow.python.ops.distributions.util import gen_new_seed  # noqa: E402
from tensorflow.python.util import deprecation, nest, tf_inspect  # noqa: E402

Pair = namedtuple("Pair", ["a", "b"])
internal = tf.__internal__.nest


@pytest.mark.parametrize(
    ("shallow", "tree", "parts"),
    [
        ([0, 0], [[1, 2], 3], [[1, 2], 3]),
        ([0, [0]], [1, [(2, 3)]], [1, (2, 3)]),
        ({"b": 0, "a": 0}, {"a": 1, "b": [2]}, [1, [2]]),
        (Pair(0, 0), Pair([1], 2), [[1], 2]),
        (0, [1, 2], [[1, 2]]),
        (OrderedDict(x=0), {"x": (1, 2)}, [(1, 2)]),
    ],
)
def test_parts_at_the_leaves_of_a_shallow_structure(shallow, tree, parts):
    assert internal.flatten_up_to(shallow, tree) == parts
    assert nest.map_structure_up_to(shallow, lambda part: part, tree) == nest.pack_sequence_as(shallow, parts)


@pytest.mark.parametrize(
    ("shallow", "tree", "error", "words"),
    [
        ([0], 1, TypeError, "If shallow structure is a sequence, input must also be a sequence"),
        ([0], (1,), TypeError, "don't have the same sequence type"),
        ([0], [1, 2], ValueError, "don't have the same sequence length"),
        ({"a": 0}, {"b": 1}, ValueError, "don't have the same keys"),
    ],
)
def test_other_structures_are_refused(shallow, tree, error, words):
    with pytest.raises(error, match=words):
        internal.flatten_up_to(shallow, tree)


def test_paths_of_leaves():
    tree = {"b": [1, (2,)], "a": Pair(3, 4)}
    assert list(internal.yield_flat_paths(tree)) == [("a", "a"), ("a", "b"), ("b", 0), ("b", 1, 0)]
    assert nest.flatten_with_tuple_paths([1, [2]]) == [((0,), 1), ((1, 0), 2)]
    assert nest.map_structure_with_tuple_paths(lambda path, x, y: (path, x + y), [1, 2], [3, 4]) == [
        ((0,), 4),
        ((1,), 6),
    ]


def test_lists_and_mappings_of_any_class_follow_each_other():
    module = tf.Module()
    module.list, module.mapping = [1, 2], {"a": 1}
    other = namedtuple("Pair", ["a", "b"])(5, 6)
    pairs = [([0, 0], module.list), (module.list, [3, 4]), ({"a": 0}, module.mapping), (module.mapping, {"a": 0})]
    for shallow, tree in [*pairs, (Pair(0, 0), other)]:
        parts = list(tree.values()) if isinstance(tree, dict) else list(tree)
        assert internal.flatten_up_to(shallow, tree) == parts
    for shallow, tree in [(module.list, (1, 2)), ((0, 0), module.list), (Pair(0, 0), (1, 2))]:
        with pytest.raises(TypeError, match="same sequence type"):
            internal.flatten_up_to(shallow, tree)


def test_leaves_have_paths():
    tree = {"b": [1, (2,)], "a": Pair(3, None)}
    paths = [("a", "a"), ("a", "b"), ("b", 0), ("b", 1, 0)]
    assert nest.flatten_with_tuple_paths(tree) == list(zip(paths, [3, None, 1, 2], strict=True))
    joined = ["a/a", "a/b", "b/0", "b/1/0"]
    assert nest.flatten_with_joined_string_paths(tree) == list(zip(joined, [3, None, 1, 2], strict=True))
    assert nest.flatten_with_joined_string_paths([[5]], separator=".") == [("0.0", 5)]


def test_lists_become_tuples():
    assert internal.list_to_tuple([1, {"a": [2]}, Pair([3], 4)]) == (1, {"a": (2,)}, Pair((3,), 4))


def test_traversal_ends_where_the_function_says():
    tree = [1, {"a": [2, 3]}, (4,)]
    assert internal.get_traverse_shallow_structure(lambda part: not isinstance(part, dict), tree) == [
        True,
        False,
        (True,),
    ]


def test_kinds_of_containers():
    assert internal.is_mapping({})
    assert not internal.is_mapping([])
    assert not internal.is_attrs({})
    assert internal.sequence_like(Pair(1, 2), [3, 4]) == Pair(3, 4)
    assert internal.sequence_like({"b": 1, "a": 2}, [3, 4]) == {"a": 3, "b": 4}
    assert nest._is_namedtuple(Pair(1, 2))
    assert list(nest._yield_sorted_items({"b": 1, "a": 2})) == [("a", 2), ("b", 1)]


class Symbol:
    """An object of a library, which ops refuse."""


class Dispatcher(tf.__internal__.dispatch.GlobalOpDispatcher):
    def handle(self, op, args, kwargs):
        found = any(isinstance(part, Symbol) for part in tf.nest.flatten([args, kwargs]))
        return (op.__name__, len(args)) if found else self.NOT_SUPPORTED


@pytest.fixture(scope="module")
def _dispatcher():
    Dispatcher().register()


@pytest.mark.usefixtures("_dispatcher")
def test_dispatchers_serve_the_arguments_that_functions_refuse():
    assert tf.exp(Symbol()) == ("exp", 1)
    assert tf.concat([Symbol(), tf.ones([2])], 0) == ("concat", 2)
    assert tf.__internal__.dispatch.add_dispatch_support(lambda x: x + 1)(Symbol()) == ("<lambda>", 1)
    assert tf.exp(0.0).numpy() == 1.0
    with pytest.raises((TypeError, ValueError)):
        tf.exp(object())


@pytest.mark.usefixtures("_dispatcher")
@pytest.mark.parametrize("method", ["__radd__", "__rsub__", "__rmul__", "__rtruediv__", "__rfloordiv__", "__rpow__"])
@pytest.mark.parametrize(("number", "dtype"), [(1, tf.float64), (1.5, tf.float64), (3, tf.int32), (True, tf.float32)])
def test_numbers_beside_an_object_with_the_operators_of_tensors_take_its_dtype(method, number, dtype):
    left = []

    class Own:
        pass

    class Left(tf.__internal__.dispatch.GlobalOpDispatcher):
        def handle(self, op, args, kwargs):
            del op, kwargs
            if not any(isinstance(part, Own) for part in args):
                return self.NOT_SUPPORTED
            left.append(args[0])
            return "served"

    Left().register()
    Own.dtype, Own.operate = dtype, getattr(tf.Tensor, method)
    assert Own().operate(number) == "served"
    assert (left[-1].dtype, left[-1].numpy()) == (dtype, number)


# Functions that consist of several ops, which TensorFlow dispatches as a whole or op by op.
ONE = """
    identity stop_gradient guarantee_const sort argsort sequence_mask norm linalg.normalize nn.l2_normalize math.top_k
    linalg.svd linalg.pinv linalg.diag linalg.matrix_rank linalg.matrix_transpose range eye transpose meshgrid
    image.flip_left_right image.flip_up_down image.rot90 image.transpose image.rgb_to_grayscale image.rgb_to_yuv
    image.grayscale_to_rgb image.per_image_standardization image.total_variation image.image_gradients
    image.sobel_edges signal.dct signal.idct signal.fftshift
"""
TWO = """
    nn.moments clip_by_norm searchsorted linspace math.segment_sum math.segment_max math.confusion_matrix
    image.central_crop image.adjust_hue image.adjust_contrast image.adjust_saturation linalg.set_diag ensure_shape pad
    nn.sigmoid_cross_entropy_with_logits signal.overlap_and_add nn.convolution math.in_top_k
"""
THREE = "image.psnr image.ssim image.resize_with_pad image.resize_with_crop_or_pad roll slice scatter_nd signal.frame"


@pytest.mark.usefixtures("_dispatcher")
@pytest.mark.parametrize(("names", "count"), [(ONE, 1), (TWO, 2), (THREE, 3)], ids=["one", "two", "three"])
def test_dispatchers_serve_functions_of_several_ops(names, count):
    extra = (3,) if names is THREE else (1,)
    for name in names.split():
        found = operator.attrgetter(name)(tf)(Symbol(), *extra * (count - 1))
        assert found[1] == count, name


def test_dispatcher_of_one_function():
    class Own:
        pass

    class One(tf.__internal__.dispatch.OpDispatcher):
        def handle(self, args, kwargs):
            found = any(isinstance(part, Own) for part in tf.nest.flatten([args, kwargs]))
            return "served" if found else self.NOT_SUPPORTED

    One().register(tf.math.log1p)
    assert tf.math.log1p(Own()) == "served"
    with pytest.raises((TypeError, ValueError)):
        tf.math.expm1(Own())


def test_deprecated_functions_are_called():
    @deprecation.deprecated(None, "Use another.")
    def old(x):
        return x + 1

    @deprecation.deprecated_args(None, "Leave it out.", "y")
    def older(x, y=None):
        return x, y

    assert (old(1), older(1)) == (2, (1, None))
    assert deprecation.deprecated_argument_lookup("new", None, "old", 3) == 3
    with pytest.raises(ValueError, match="Cannot specify both"):
        deprecation.deprecated_argument_lookup("new", 1, "old", 3)
    with deprecation.silence():
        assert old(2) == 3


def test_functions_are_decorated_in_place_until_they_are_traced():
    @tf.function
    def function(x):
        return x + 1.0

    function._decorate(lambda inner: lambda x: inner(x) * 2.0)
    assert function(tf.constant(1.0)).numpy() == 4.0
    with pytest.raises(ValueError, match="cannot be decorated after they have been traced"):
        function._decorate(lambda inner: inner)


def test_loops_of_a_library_are_chosen_as_in_tensorflow():
    assert control_flow_util.ENABLE_CONTROL_FLOW_V2 is True
    assert not control_flow_util.GraphOrParentsInXlaContext(tf.compat.v1.get_default_graph())


def test_source_of_functions_is_parsed_by_the_parts_of_autograph():
    def double(x):
        return x * 2

    node, _ = parser.parse_entity(double, future_features=())
    assert type(node).__name__ == "FunctionDef"
    anno.setanno(node, anno.Basic.QN, qual_names.QN("double"))
    assert anno.getanno(node, anno.Basic.QN) == qual_names.QN("double")


def test_device_of_the_context():
    assert context.context().device_spec.device_type is None
    with tf.device("cpu:0"):
        spec = context.context().device_spec
    if spec.device_type is not None:
        assert (spec.device_type, spec.device_index) == ("CPU", 0)


def test_lists_are_components_of_elements():
    structure = (1, [2, 3], {"b": 4, "a": (5,)})
    assert element_nest.flatten(structure) == [1, [2, 3], 5, 4]
    packed = element_nest.pack_sequence_as(structure, [6, 7, 8, 9])
    assert packed == (6, 7, {"b": 9, "a": (8,)})
    assert element_nest.map_structure(lambda *parts: parts, structure, packed)[1] == ([2, 3], 7)
    assert element_nest.map_structure_up_to((0,), len, ([5, 6],)) == (2,)
    assert (element_nest.is_nested([1]), element_nest.is_nested((1,))) == (False, True)
    for other, error in (((1, (2,)), ValueError), ((1, 2, 3), ValueError), (Pair(1, 2), TypeError)):
        with pytest.raises(error, match="The two structures don't have the same"):
            element_nest.assert_same_structure((1, 2), other)
    element_nest.assert_same_structure((1, 2), Pair(1, 2), check_types=False)
    with pytest.raises(ValueError, match=r"flat_sequence"):
        element_nest.pack_sequence_as((1, 2), [3])


def test_paths_are_joined_to_texts():
    found = nest.map_structure_with_paths(lambda *parts: parts, {"b": [1, (2,)], "a": 3}, {"b": [4, (5,)], "a": 6})
    assert found == {"b": [("b/0", 1, 4), (("b/1/0", 2, 5),)], "a": ("a", 3, 6)}
    assert nest.map_structure_with_paths(lambda path, _, part: (path, part), [1, 2], [3, [4]]) == [("0", 3), ("1", [4])]


def test_seeds_follow_from_others_and_a_text():
    assert [gen_new_seed(seed, "salt") for seed in (None, 0, 1, 2**31)] == [None, 1185174420, 601003558, 904541831]


def test_parameters_in_the_form_of_python_2():
    def function(a, *rest, b=2, **more):
        del a, rest, b, more

    found = tf_inspect.getargspec(tf.function(function))
    assert found == (["a", "b"], "rest", "more", (2,))
    assert type(found).__name__ == "ArgSpec"


def test_constants_of_unsupported_optimizers():
    optimizer = tf.compat.v1.train.Optimizer
    assert (optimizer.GATE_NONE, optimizer.GATE_OP, optimizer.GATE_GRAPH) == (0, 1, 2)
