"""Types of arguments and results, and errors for wrong types; texts are TensorFlow's."""

from __future__ import annotations

import collections
import gc
import weakref

import numpy as np
import pytest

import tfcompat as tf

Pair = collections.namedtuple("Pair", "u v")
ONE = tf.constant([1.0])


def spec(*dims, name=None):
    return tf.TensorSpec(dims, tf.float32, name)


def plain(function, **options):
    return tf.function(function, autograph=False, **options)


class TestInputSignature:
    @pytest.mark.parametrize(
        ("function", "signature", "message"),
        [
            (lambda x: x, [3], r"got invalid args \[3\] with types \[<class 'int'>\]"),
            (lambda x: x, [ONE], "must be a possibly nested sequence of TensorSpec objects"),
            (lambda x: x, [None], "must be a possibly nested sequence of TensorSpec objects"),
            (lambda x: x, [], "input_signature missing type constraint for x"),
            (lambda x: x, [spec(2), spec(2)], "input_signature contains 1 extra type constraints"),
            (lambda x, *, k: x + k, [spec(2)], "keyword-only parameter `k` must have a default value"),
        ],
        ids=["number", "tensor", "None", "short", "long", "keyword"],
    )
    def test_what_fits_no_parameters(self, function, signature, message):
        with pytest.raises(TypeError, match=message):
            plain(function, input_signature=signature)

    def test_defaults_that_are_not_covered_are_fixed(self):
        function = plain(lambda x, y=3.0: x * y, input_signature=[spec(None)])
        assert str(function.function_type) == (
            "(x: TensorSpec(shape=(None,), dtype=tf.float32, name=None), y: Literal[3.0] = <captured_default_value>)"
        )
        np.testing.assert_array_equal(function(ONE), [3.0])
        np.testing.assert_array_equal(function(ONE, 3.0), [3.0])
        with pytest.raises(TypeError, match=r"failed due to `Can not cast 4.0 to Literal\[3.0\]`"):
            function(ONE, 4.0)

    def test_specs_of_the_rest_name_parameters(self):
        function = plain(
            lambda x, *rest, k=2, **more: x * k if not (rest[1:] or more) else None,
            input_signature=[spec(None), spec()],
        )
        assert repr(function.function_type) == (
            "Input Parameters:\n"
            "  x (POSITIONAL_ONLY): TensorSpec(shape=(None,), dtype=tf.float32, name=None)\n"
            "  rest_0 (POSITIONAL_ONLY): TensorSpec(shape=(), dtype=tf.float32, name=None)\n"
            "  k (KEYWORD_ONLY): Literal[2]\n"
            "Output Type:\n"
            "  None\n"
            "Captures:\n"
            "  None"
        )
        np.testing.assert_array_equal(function(ONE, 3.0), [2.0])
        with pytest.raises(TypeError, match="too many positional arguments"):
            function(ONE, 3.0, 4.0)
        with pytest.raises(TypeError, match="got an unexpected keyword argument 'z'"):
            function(ONE, 3.0, z=1)

    @pytest.mark.parametrize(
        ("value", "message"),
        [
            ({"b": [1.0]}, "{'b': \\[1.0\\]} has different keys with the TraceType Dict"),
            ([1.0], r"Can not cast \[1.0\] to a Dict type"),
            ({"a": [[1.0]]}, r"Can not cast TensorSpec\(shape=\(1, 1\)"),
        ],
        ids=["keys", "kind", "rank"],
    )
    def test_containers_are_cast_part_by_part(self, value, message):
        function = plain(lambda d: d["a"], input_signature=[{"a": spec(None)}])
        np.testing.assert_array_equal(function({"a": [1, 2]}), [1.0, 2.0])
        with pytest.raises(TypeError, match=message):
            function(value)

    def test_variables_are_read(self):
        function = plain(lambda x: x * 2.0, input_signature=[spec(None)])
        np.testing.assert_array_equal(function(tf.Variable([1.0])), [2.0])
        assert function.experimental_get_tracing_count() == 1
        function(ONE)
        assert function.experimental_get_tracing_count() == 1


class TestConcreteFunction:
    @pytest.fixture
    def nested(self):
        kinds = {"a": spec(None), "b": [spec(2), 3]}
        function = plain(lambda d, *a, k=2, **m: (d["a"], a, m) if k == 5 else None)
        return function.get_concrete_function(kinds, spec(1), spec(1, name="zz"), k=5, q=spec())

    def test_names_of_specs_tell_their_places(self, nested):
        args, kwargs = nested.structured_input_signature
        assert args[0] == {"a": spec(None, name="d_a"), "b": [spec(2, name="d_b_0"), 3]}
        assert (args[1:], kwargs) == ((spec(1, name="a_0"), spec(1, name="zz")), {"k": 5, "q": spec(name="q")})

    def test_arguments_as_they_were_or_tensors_alone(self, nested):
        found = nested({"a": [1.0, 2.0], "b": [[1.0, 2.0], 3]}, [1.0], [2.0], k=5, q=3.0)
        assert [part.numpy().tolist() for part in tf.nest.flatten(found)] == [[1.0, 2.0], [1.0], [2.0], 3.0]
        found = nested(tf.ones([2]), tf.ones([2]), ONE, zz=ONE, q=tf.constant(1.0))
        assert [part.numpy().tolist() for part in tf.nest.flatten(found)] == [[1.0, 1.0], [1.0], [1.0], 1.0]

    @pytest.mark.parametrize(
        ("args", "kwargs", "problem", "reason"),
        [
            ((), {}, "missing a required argument: 'x'", "(x, y) missing required arguments: x, y."),
            ((ONE, ONE, ONE), {}, "too many positional arguments", "(x, y) takes 2 positional arguments, got 3."),
            ((ONE,), {"z": ONE}, "missing a required argument: 'y'", "(x, y) missing required arguments: y."),
            ((ONE, ONE), {"z": ONE}, "unexpected keyword argument 'z'", "got unexpected keyword arguments: z."),
            ((ONE, ONE), {"x": ONE}, "multiple values for argument 'x'", "(x, y) got two values for 'x'."),
            (
                (ONE, None),
                {},
                "unsupported type",
                "expected argument #1(zero-based) to be a Tensor; got NoneType (None).",
            ),
        ],
        ids=["none", "many", "missing", "unknown", "twice", "kind"],
    )
    def test_what_fits_neither_way(self, args, kwargs, problem, reason):
        concrete = plain(lambda x, y: x * y).get_concrete_function(spec(None), spec())
        with pytest.raises(TypeError) as caught:
            concrete(*args, **kwargs)
        first, last = str(caught.value).rsplit("\n", 1)
        assert first.startswith("Binding inputs to tf.function failed due to `")
        assert problem in first
        assert last.startswith("Fallback to flat signature also failed due to: <lambda>")
        assert last.endswith(reason)

    @pytest.mark.parametrize(
        ("value", "problem"),
        [
            ({"a": [1.0]}, "has different keys with the TraceType"),
            ({"b": ([1.0, 2.0], 3)}, r"Can not cast \(\[1.0, 2.0\], 3\) to list type"),
            ({"b": [[1.0, 2.0], 4]}, r"Can not cast 4 to Literal\[3\]"),
            ({"t": (1.0, 2)}, r"Cannot cast \(1.0, 2\) to type <class '.*Pair'>"),
        ],
        ids=["keys", "tuple", "value", "namedtuple"],
    )
    def test_containers_must_be_what_they_were(self, value, problem):
        kinds = {"b": [spec(2), 3], "t": Pair(spec(), 2)}
        concrete = plain(lambda d: d["t"].u).get_concrete_function(kinds)
        whole = {"b": [[1.0, 2.0], 3], "t": Pair(4.0, 2)}
        assert concrete(whole).numpy() == 4.0
        with pytest.raises(TypeError, match=problem):
            concrete(value if "a" in value else whole | value)

    def test_variables_have_types_of_their_own(self):
        one, other = tf.Variable(1.0), tf.Variable(2.0)
        function = plain(lambda a, b: a + b)
        kind = "VariableSpec(shape=(), dtype=tf.float32, trainable=True, alias_id="
        concrete = function.get_concrete_function(one, other)
        assert repr(concrete.structured_input_signature) == f"(({kind}0), {kind}1)), {{}})"
        assert (
            repr(function.get_concrete_function(one, one).structured_input_signature) == f"(({kind}0), {kind}0)), {{}})"
        )
        assert concrete(other, one).numpy() == 3.0
        assert concrete.captured_inputs == []
        with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a float32 variable"):
            concrete(tf.constant(1.0), tf.constant(1.0))

    def test_objects_are_themselves_and_not_kept(self):
        class Thing:
            pass

        thing = Thing()
        function = plain(lambda thing, x: x if thing else None)
        concrete = function.get_concrete_function(thing, spec(None))
        np.testing.assert_array_equal(concrete(thing, [1.0]), [1.0])
        with pytest.raises(TypeError, match=r"Can not cast .*Thing object at .* to Weakref"):
            concrete(Thing(), [1.0])
        kept = weakref.ref(thing)
        del thing
        gc.collect()
        assert kept() is None

    def test_kinds_of_parameters(self):
        concrete = plain(lambda x, /, y, *, z: x + y + z).get_concrete_function(spec(), y=spec(), z=spec())
        one = "TensorSpec(shape=(), dtype=tf.float32, name=None)"
        assert str(concrete.function_type) == f"(x: {one}, /, y: {one}, *, z: {one}) -> {one}"
        assert concrete(1.0, 2.0, z=3.0).numpy() == 6.0
        kinds = [(p.name, p.kind.name, p.optional) for p in concrete.function_type.parameters.values()]
        assert kinds == [
            ("x", "POSITIONAL_ONLY", False),
            ("y", "POSITIONAL_OR_KEYWORD", False),
            ("z", "KEYWORD_ONLY", False),
        ]

    @pytest.mark.parametrize("name", ["graph", "function_def", "inference_fn", "set_variables"])
    def test_graphs_are_refused_by_name(self, name):
        concrete = plain(lambda x: x).get_concrete_function(spec())
        with pytest.raises(NotImplementedError, match=rf"ConcreteFunction\.{name}: there are no TensorFlow graphs"):
            getattr(concrete, name)
        assert not hasattr(concrete, "nothing")


def test_members_of_functions_that_are_refused_by_name():
    function = plain(lambda x: x)
    with pytest.raises(NotImplementedError, match="get_initialization_function"):
        function.get_initialization_function(ONE)


class TestFunctionSpec:
    def test_parameters_with_an_input_signature(self):
        class Model(tf.Module):
            @tf.function(input_signature=[spec(None)], jit_compile=True)
            def scaled(self, x, *, factor=3):
                return x * factor

        found = Model().scaled.function_spec
        assert found.arg_names == ["x"]
        assert tuple(found.fullargspec) == (["x"], None, None, None, ["factor"], {"factor": 3}, {})
        assert found.default_values == {"factor": 3}
        assert found.input_signature == (spec(None),)
        assert str(found.function_type).startswith("(x: TensorSpec(shape=(None,), dtype=tf.float32")
        assert (found.is_pure, found.jit_compile) == (False, True)

    def test_parameters_of_all_kinds(self):
        @tf.function
        def called(x, y=1, *rest, **named):
            return x, y, rest, named

        found = called.function_spec
        assert found.arg_names == ["x", "y"]
        assert tuple(found.fullargspec) == (["x", "y"], "rest", "named", (1,), [], None, {})
        assert found.default_values == {"y": 1}
        assert (found.input_signature, found.jit_compile) == (None, None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"experimental_attributes": {"foo": 1}}, "`foo is not supported by tf.function as an attribute"),
        ({"experimental_attributes": {"_noinline": object()}}, "Attribute _noinline must be bool, int"),
        ({"experimental_compile": True, "jit_compile": True}, "Cannot specify both"),
    ],
    ids=["unknown", "value", "both"],
)
def test_options_that_are_none(options, message):
    with pytest.raises(ValueError, match=message):
        tf.function(lambda x: x, **options)


def test_options_that_change_no_value():
    options = {
        "experimental_attributes": {"_noinline": True, "api_implements": "f", "disable_summaries_at_runtime": ["a"]},
        "experimental_implements": "f",
        "experimental_relax_shapes": True,
        "reduce_retracing": True,
        "experimental_follow_type_hints": True,
        "experimental_compile": False,
    }
    np.testing.assert_array_equal(tf.function(lambda x: x * 2.0, **options)(ONE), [2.0])


def test_what_cannot_be_called():
    with pytest.raises(TypeError, match="3 is not a callable object"):
        tf.function(3)
    with pytest.raises(ValueError, match="no signature found for builtin type <class 'dict'>"):
        tf.function(dict)


class TestCompilerIR:
    @pytest.fixture
    def stage(self):
        v = tf.Variable([1.0, 2.0])
        return tf.function(lambda x: tf.sin(x) * v, jit_compile=True).experimental_get_compiler_ir(tf.ones([2]))

    @pytest.mark.parametrize(
        ("name", "part"),
        [
            ("hlo", "ENTRY"),
            ("stablehlo", "stablehlo.multiply"),
            ("optimized_hlo", "fused"),
            ("optimized_hlo_dot", "digraph"),
            ("hlo_serialized", b"parameter"),
            ("optimized_hlo_serialized", b"fused"),
            ("optimized_hlo_proto_serialized", b"fused"),
            ("stablehlo_serialized", b"StableHLO"),
        ],
    )
    def test_stages(self, stage, name, part):
        assert part in stage(stage=name)

    def test_first_stage_is_the_default(self, stage):
        assert stage() == stage("hlo", platform_name="CPU")
        with pytest.warns(UserWarning, match="device_name is being deprecated"):
            assert stage("hlo", device_name="/device:CPU:0") == stage()

    def test_refusals(self, stage):
        with pytest.raises(ValueError, match="Invalid stage selected: 'bad'"):
            stage("bad")
        with pytest.raises(ValueError, match="No JIT device registered for TPU"):
            stage("hlo", platform_name="TPU")
        with pytest.raises(ValueError, match="functions marked with 'jit_compile=True'"):
            tf.function(lambda x: x).experimental_get_compiler_ir(ONE)
        with pytest.raises(ValueError, match="Only support static input shape"):
            tf.function(lambda x: x, jit_compile=True).experimental_get_compiler_ir(spec(None))
