"""Linear operators are composite tensors, whose components are the tensors and variables that define them."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._keras import type_spec_registry
from tfcompat._keras.linear_operator import make_composite_tensor

L = tf.linalg
DIAGONAL, MATRIX = tf.Variable([1.0, 2.0]), tf.Variable([[1.0, 0.0], [3.0, 4.0]])


def diag():
    return L.LinearOperatorDiag(DIAGONAL)


def full():
    return L.LinearOperatorFullMatrix(MATRIX)


COMPLEX = tf.constant([1.0, 2.0], tf.complex64)
# Operators, and the numbers of their components in TensorFlow.
OPERATORS = {
    "diag": (diag, 1),
    "full": (full, 1),
    "triangle": (lambda: L.LinearOperatorLowerTriangular(MATRIX, is_non_singular=True), 1),
    "identity": (lambda: L.LinearOperatorIdentity(2, batch_shape=[3]), 0),
    "identity of tensors": (lambda: L.LinearOperatorIdentity(tf.constant(2), batch_shape=tf.constant([3])), 0),
    "scaled": (lambda: L.LinearOperatorScaledIdentity(2, 3.0), 1),
    "zeros": (lambda: L.LinearOperatorZeros(2, 3, is_self_adjoint=False, is_square=False), 0),
    "toeplitz": (lambda: L.LinearOperatorToeplitz([1.0, 2.0], [1.0, 3.0]), 2),
    "tridiagonal": (lambda: L.LinearOperatorTridiag([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), 1),
    "sequence": (lambda: L.LinearOperatorTridiag(([1.0, 2.0], [3.0, 4.0], [5.0, 6.0]), "sequence"), 3),
    "householder": (lambda: L.LinearOperatorHouseholder([1.0, 0.0]), 1),
    "permutation": (lambda: L.LinearOperatorPermutation([1, 0]), 1),
    "circulant": (lambda: L.LinearOperatorCirculant(COMPLEX), 1),
    "circulant 2d": (lambda: L.LinearOperatorCirculant2D(tf.ones([2, 2], tf.complex64)), 1),
    "low rank": (lambda: L.LinearOperatorLowRankUpdate(diag(), [[1.0], [2.0]], is_diag_update_positive=True), 3),
    "low rank, all": (lambda: L.LinearOperatorLowRankUpdate(diag(), [[1.0], [2.0]], [2.0], [[1.0], [1.0]]), 4),
    "composition": (lambda: L.LinearOperatorComposition([diag(), full()]), 2),
    "blocks": (lambda: L.LinearOperatorBlockDiag([diag(), L.LinearOperatorIdentity(2)]), 1),
    "kronecker": (lambda: L.LinearOperatorKronecker([diag(), L.LinearOperatorDiag([1.0, 1.0])]), 2),
    "triangle of blocks": (
        lambda: L.LinearOperatorBlockLowerTriangular([[diag()], [full(), L.LinearOperatorIdentity(2)]]),
        2,
    ),
    "adjoint": (lambda: L.LinearOperatorAdjoint(full()), 1),
    "inversion": (lambda: L.LinearOperatorInversion(diag()), 1),
}
CASES = pytest.mark.parametrize(("made", "count"), OPERATORS.values(), ids=OPERATORS)


@CASES
def test_operators_are_rebuilt_from_their_components(made, count):
    operator = made()
    flat = tf.nest.flatten(operator, expand_composites=True)
    assert len(flat) == count
    rebuilt = tf.nest.pack_sequence_as(operator, flat, expand_composites=True)
    assert type(rebuilt) is type(operator)
    assert np.array_equal(rebuilt.to_dense(), operator.to_dense())
    spec = operator._type_spec
    assert spec == rebuilt._type_spec
    assert hash(spec) == hash(rebuilt._type_spec)
    assert spec.is_compatible_with(rebuilt)
    assert spec.value_type is type(operator)
    assert type_spec_registry.get_name(type(spec)) == f"tf.linalg.{type(operator).__name__}Spec"
    assert tf.nest.flatten([operator]) == [operator]
    assert isinstance(operator, tf.__internal__.CompositeTensor)
    assert not tf.is_tensor(operator)
    held = operator._convert_variables_to_tensors()
    assert all(type(part) is tf.Tensor for part in tf.nest.flatten(held, expand_composites=True))


@CASES
def test_functions_take_and_return_operators(made, count):
    del count
    traces = []

    @tf.function
    def product(operator, x):
        traces.append(operator)
        return operator.matmul(x), operator

    operator = made()
    x = tf.ones([operator.shape[-1], 1], operator.dtype)
    found, returned = product(operator, x)
    product(made(), x)
    assert len(traces) == 1
    assert np.allclose(found, operator.matmul(x))
    assert type(returned) is type(operator)
    assert np.array_equal(returned.to_dense(), operator.to_dense())


def test_functions_are_traced_for_other_kinds_shapes_and_hints():
    traces = []

    @tf.function
    def dense(operator):
        traces.append(operator.is_positive_definite)
        return operator.to_dense()

    for operator in (
        *(L.LinearOperatorDiag([1.0, 2.0]), L.LinearOperatorDiag([1.0, 3.0])),
        L.LinearOperatorDiag([1.0, 2.0], is_positive_definite=True),
        L.LinearOperatorDiag([1.0, 2.0, 3.0]),
        *(L.LinearOperatorIdentity(2), L.LinearOperatorIdentity(3)),
        *(diag(), L.LinearOperatorDiag(tf.Variable([5.0, 6.0]))),
    ):
        assert np.array_equal(dense(operator), operator.to_dense())
    assert traces == [None, True, None, True, True, None]


def test_operators_match_the_spec_of_an_input_signature():
    spec = L.LinearOperatorDiag([1.0, 2.0])._type_spec
    dense = tf.function(lambda operator: operator.to_dense(), input_signature=(spec,))
    assert dense(L.LinearOperatorDiag([3.0, 4.0])).numpy().tolist() == [[3.0, 0.0], [0.0, 4.0]]
    with pytest.raises(TypeError):
        dense(L.LinearOperatorDiag([3.0, 4.0, 5.0]))
    assert dense.get_concrete_function()(L.LinearOperatorDiag([5.0, 6.0])).numpy().tolist() == [[5.0, 0.0], [0.0, 6.0]]


def test_branches_and_loops_carry_operators():
    def doubled(operator):
        return L.LinearOperatorDiag(operator.diag * 2.0)

    @tf.function
    def chosen(condition, operator):
        return tf.cond(condition, lambda: operator, lambda: doubled(operator))

    @tf.function
    def looped(operator):
        return tf.while_loop(lambda k, _: k < 3, lambda k, x: (k + 1, doubled(x)), (0, operator))[1]

    operator = L.LinearOperatorDiag([1.0, 2.0])
    assert chosen(tf.constant(False), operator).diag.numpy().tolist() == [2.0, 4.0]
    assert looped(operator).diag.numpy().tolist() == [8.0, 16.0]


def gradient(operator):
    with tf.GradientTape() as tape:
        tape.watch(operator)
        y = tf.reduce_sum(operator.matvec([2.0, 3.0]))
    return tape.gradient(y, operator)


def parts(operator):
    return [part.numpy().tolist() for part in tf.nest.flatten(operator, expand_composites=True)]


def test_gradients_for_operators_are_operators():
    of_diagonal = gradient(L.LinearOperatorDiag(tf.constant([1.0, 2.0])))
    assert type(of_diagonal) is L.LinearOperatorDiag
    assert parts(of_diagonal) == [[2.0, 3.0]]
    assert gradient(L.LinearOperatorIdentity(2)) is None
    matrix = tf.constant([[1.0, 0.0], [3.0, 4.0]])
    of_product = gradient(
        L.LinearOperatorComposition([L.LinearOperatorDiag([1.0, 2.0]), L.LinearOperatorFullMatrix(matrix)])
    )
    assert parts(of_product) == [[2.0, 18.0], [[2.0, 3.0], [4.0, 6.0]]]


def test_gradients_are_zero_for_other_components_of_a_connected_operator():
    operator = L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag([1.0, 2.0]), tf.constant([[1.0], [2.0]]))
    number = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([operator, number])
        y = tf.reduce_sum(operator.u * 2.0)
        z = number * number
    assert parts(tape.gradient(y, operator)) == [[0.0, 0.0], [[2.0], [2.0]], [[2.0], [2.0]]]
    assert tape.gradient(z, [operator, number])[0] is None
    assert tape.gradient(z, [operator, number])[1].numpy() == 6.0


def test_operators_as_targets():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        operator = L.LinearOperatorDiag(x * x)
    assert tape.gradient(operator, x).numpy().tolist() == [2.0, 4.0]
    weights = L.LinearOperatorDiag([1.0, 10.0])
    assert tape.gradient(operator, x, output_gradients=weights).numpy().tolist() == [2.0, 40.0]


def test_gradients_in_a_function_for_the_variables_of_an_argument():
    @tf.function
    def gradients(operator):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(operator.to_dense() ** 2)
        return tape.gradient(y, operator.trainable_variables)

    assert [found.numpy().tolist() for found in gradients(diag())] == [[2.0, 4.0]]


def test_modules_track_operators_and_their_variables():
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.operators = [L.LinearOperatorLowRankUpdate(diag(), tf.Variable([[1.0], [2.0]]))]
            self.weight = tf.Variable(1.0)

    model = Model()
    assert [variable.shape.as_list() for variable in model.trainable_variables] == [[2], [2, 1], []]
    names = ["LinearOperatorLowRankUpdate", "LinearOperatorDiag", "LinearOperatorIdentity"]
    assert [type(module).__name__ for module in model.submodules] == names


def test_structures_of_operators_are_compared():
    operator = L.LinearOperatorDiag([1.0, 2.0])
    assert tf.nest.map_structure(lambda x: 2 * x, operator, expand_composites=True).diag.numpy().tolist() == [2.0, 4.0]
    longer = L.LinearOperatorDiag([1.0, 2.0, 3.0])
    tf.nest.assert_same_structure(operator, longer, expand_composites=True)
    common = operator._type_spec.most_specific_common_supertype([longer._type_spec])
    assert common._param_specs == {"diag": tf.TensorSpec([None])}
    other = L.LinearOperatorDiag([1.0, 2.0], is_positive_definite=True)
    for value in (other, L.LinearOperatorFullMatrix([[1.0]])):
        with pytest.raises(ValueError, match="TypeSpec"):
            tf.nest.assert_same_structure(operator, value, expand_composites=True)


def test_subclasses_keep_the_spec_unless_they_are_registered():
    class Plain(L.LinearOperatorDiag):
        pass

    class Named(L.LinearOperatorDiag):
        pass

    make_composite_tensor(Named, "test_operator_spec")

    def copied(operator):
        return tf.nest.pack_sequence_as(operator, tf.nest.flatten(operator, expand_composites=True), True)

    assert type(copied(Plain([1.0]))) is L.LinearOperatorDiag
    assert type(copied(Named([1.0]))) is Named
    assert type_spec_registry.lookup("test_operator_spec.NamedSpec").value_type is Named


def test_extension_types_are_no_tensors_but_other_composites_are():
    class Pair(tf.experimental.ExtensionType):
        x: tf.Tensor

    assert not tf.is_tensor(Pair(tf.constant(1.0)))
    composites = tf.ragged.constant([[1]]), tf.sparse.eye(2), tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    assert all(map(tf.is_tensor, composites))


def test_composites_of_libraries_with_other_plain_fields_have_traces_of_their_own():
    tf.install_as_tensorflow()
    specs = importlib.import_module("tensorflow.python.framework.type_spec")

    class ScaledSpec(specs.BatchableTypeSpec):
        def __init__(self, spec, scale):
            self._spec, self._scale = spec, scale

        value_type = property(lambda _: Scaled)
        _component_specs = property(lambda self: self._spec)

        def _serialize(self):
            return self._spec, self._scale

        def _to_components(self, value):
            return value.x

        def _from_components(self, components):
            return Scaled(components, self._scale)

    class Scaled(tf.__internal__.CompositeTensor):
        def __init__(self, x, scale):
            self.x, self.scale = x, scale

        @property
        def _type_spec(self):
            return ScaledSpec(tf.TensorSpec(self.x.shape, self.x.dtype), self.scale)

    product = tf.function(lambda value: value.x * value.scale)
    assert [product(Scaled(tf.constant(2.0), scale)).numpy() for scale in (1.0, 5.0, 1.0)] == [2.0, 10.0, 2.0]


def test_specs_of_libraries_compare_parts_of_their_own():
    tf.install_as_tensorflow()
    specs = importlib.import_module("tensorflow.python.framework.type_spec")

    class WidthSpec(specs.BatchableTypeSpec):
        """As those of TensorFlow Probability, it leaves the note out of the comparison."""

        def __init__(self, spec, note):
            self._spec, self._note = spec, note

        value_type = property(lambda _: Width)
        _component_specs = property(lambda self: self._spec)

        def _serialize(self):
            return self._spec, self._note

        def _to_components(self, value):
            return value.x

        def _from_components(self, components):
            return Width(components, self._note)

        def is_compatible_with(self, spec_or_value):
            other = specs.type_spec_from_value(spec_or_value)
            return self._TypeSpec__is_compatible((self._spec, {"k": [1]}), (other._spec, {"k": [1]}))

        def __eq__(self, other):
            return self._key() == other._key()

        def __hash__(self):
            return hash(self._key())

        def _key(self):
            return type(self), self._TypeSpec__make_cmp_key((self._spec, {"b": [1, None], "a": "text"}, 1.0))

    class Width(tf.__internal__.CompositeTensor):
        def __init__(self, x, note):
            self.x, self.note = x, note

        @property
        def _type_spec(self):
            return WidthSpec(tf.TensorSpec(self.x.shape, self.x.dtype), self.note)

    traced = []
    doubled = tf.function(lambda value: traced.append(value.note) or value.x * 2.0)
    assert [doubled(Width(tf.constant(2.0), note)).numpy() for note in ("first", "other")] == [4.0, 4.0]
    assert traced == ["first"]
    assert doubled(Width(tf.constant([1.0]), "third")).numpy().tolist() == [2.0]
    assert traced == ["first", "third"]
    spec = WidthSpec(tf.TensorSpec([None]), "")
    assert [spec.is_compatible_with(Width(tf.ones(shape), "")) for shape in ([3], [])] == [True, False]


def test_constructors_of_composites_run_only_where_arguments_have_values():
    tf.install_as_tensorflow()
    specs = importlib.import_module("tensorflow.python.framework.type_spec")

    class RowsSpec(specs.BatchableTypeSpec):
        def __init__(self, spec):
            self._spec = spec

        value_type = property(lambda _: Rows)
        _component_specs = property(lambda self: {"x": self._spec})

        def _serialize(self):
            return (self._spec,)

        def _to_components(self, value):
            return {"x": value.x}

        def _from_components(self, components):
            return Rows(components["x"])

    class Rows(tf.__internal__.CompositeTensor):
        def __init__(self, x):
            self.x = x
            self.count = tf.function(lambda: tf.reduce_sum(x, 1)).get_concrete_function().structured_outputs.shape[0]

        @property
        def _type_spec(self):
            return RowsSpec(tf.TensorSpec(self.x.shape, self.x.dtype))

    total = tf.function(lambda rows, more: (tf.reduce_sum(rows.x) + more["k"].x[0, 0], rows.count))
    rows = Rows(tf.ones([2, 3]))
    assert [part.numpy() for part in total(rows, {"k": rows})] == [7.0, 2]
    concrete = total.get_concrete_function(rows, {"k": rows})
    assert [part.numpy() for part in concrete(Rows(tf.zeros([2, 3])), {"k": rows})] == [1.0, 2]
    assert concrete.structured_input_signature[0][0] == rows._type_spec
