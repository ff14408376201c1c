"""Functions whose arguments and results are linear operators are saved with the specs of these, as TensorFlow does."""

from __future__ import annotations

import pytest

import tfcompat as tf

L = tf.linalg


def diag(*values):
    return L.LinearOperatorDiag(list(values))


class Model(tf.Module):
    @tf.function
    def product(self, operator, x):
        return operator.matvec(x)

    @tf.function
    def operators(self, x):
        return L.LinearOperatorDiag(x), {"parts": [L.LinearOperatorKronecker([L.LinearOperatorDiag(x), diag(2.0)])]}


def test_functions_of_operators_are_saved(tmp_path):
    model = Model()
    model.product(diag(1.0, 2.0), tf.ones([2]))
    model.product(L.LinearOperatorBlockDiag([diag(1.0), diag(2.0)]), tf.ones([2]))
    model.operators(tf.constant([1.0, 3.0]))
    tf.saved_model.save(model, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert loaded.product(diag(3.0, 4.0), tf.ones([2])).numpy().tolist() == [3.0, 4.0]
    blocks = L.LinearOperatorBlockDiag([diag(5.0), diag(6.0)])
    assert loaded.product(blocks, tf.ones([2])).numpy().tolist() == [5.0, 6.0]
    first, others = loaded.operators(tf.constant([1.0, 4.0]))
    assert isinstance(first, L.LinearOperatorDiag)
    assert first.diag.numpy().tolist() == [1.0, 4.0]
    assert others["parts"][0].to_dense().numpy().tolist() == [[2.0, 0.0], [0.0, 8.0]]


@pytest.mark.parametrize(
    ("operator", "name", "count"),
    [
        (diag(1.0, 2.0), "tf.linalg.LinearOperatorDiagSpec", 1),
        (L.LinearOperatorIdentity(2, batch_shape=[3]), "tf.linalg.LinearOperatorIdentitySpec", 0),
        (L.LinearOperatorComposition([diag(1.0), diag(2.0)]), "tf.linalg.LinearOperatorCompositionSpec", 2),
        (
            L.LinearOperatorTridiag(([1.0, 2.0], [3.0, 4.0], [5.0, 6.0]), "sequence"),
            "tf.linalg.LinearOperatorTridiagSpec",
            3,
        ),
    ],
)
def test_specs_of_operators_have_messages(operator, name, count):
    internal = tf.__internal__.saved_model
    message = internal.encode_structure([operator._type_spec, {"key": (tf.float32, 1)}])
    spec = message.list_value.values[0].type_spec_value
    assert (spec.type_spec_class_name, spec.num_flat_components) == (name, count)
    decoded, rest = internal.decode_proto(message)
    assert decoded == operator._type_spec
    assert rest == {"key": (tf.float32, 1)}
