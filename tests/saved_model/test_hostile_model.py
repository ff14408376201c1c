"""Files of SavedModels that are broken at random: an error names the fault, or the model computes."""

from __future__ import annotations

import random
import tracemalloc

import numpy as np
import pytest

import tfcompat as tf
from tests import repetition
from tests.daily import without
from tests.data.format.hostile import mutant
from tests.saved_model import models
from tfcompat._saved_model.messages.message import messages

# `make test` takes 300 copies in all, `make soak` 10,000.
COUNT = 1250 if repetition.count(10) == 10 else 38
MOST_BYTES = 32 << 20
ERRORS = (tf.errors.OpError, AssertionError, OSError, ValueError, NotImplementedError, TypeError, LookupError)
NAMES = ("control", "table", "examples", "uniform", "ragged_to_dense", "words")


def outcome_of(folder, name):
    """The name of the error of loading and calling a model, or "computed"."""
    try:
        model = tf.saved_model.load(str(folder))
    except (tf.errors.OpError, AssertionError, OSError, NotImplementedError) as error:
        return type(error).__name__
    try:
        models.KINDS[name].calls(model)
    except (*ERRORS, AttributeError) as error:
        return type(error).__name__
    return "computed"


@pytest.mark.soak
@pytest.mark.parametrize("name", without(["control"], NAMES))
def test_broken_file_of_tensorflow(name, tmp_path):
    models.recorded(tmp_path, [name])
    require_refusals(tmp_path / name, name)


@pytest.mark.soak
@pytest.mark.parametrize("name", ["plain", "state"])
def test_broken_file_of_tfcompat(name, tmp_path):
    models.save(tmp_path, [name])
    require_refusals(tmp_path / name, name)


def require_refusals(folder, name):
    path = folder / "saved_model.pb"
    whole, draw = path.read_bytes(), random.Random(name)
    outcomes: dict[str, int] = {}
    assert outcome_of(folder, name) == "computed"  # imports and caches of the first call do not count
    tracemalloc.start()
    for _ in range(COUNT):
        path.write_bytes(mutant(whole, draw))
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        outcome = outcome_of(folder, name)
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
        _, peak = tracemalloc.get_traced_memory()
        # The recordings and programs of earlier copies are kept, with bounds of their own.
        assert peak - before < MOST_BYTES + 20 * len(whole)
    tracemalloc.stop()
    assert outcomes["DataLossError"] > COUNT // 4, outcomes


def changed(folder, change):
    """Changes the message in `folder`."""
    path = folder / "saved_model.pb"
    model = messages()["SavedModel"].FromString(path.read_bytes())
    change(model.meta_graphs[0])
    path.write_bytes(model.SerializeToString())


def function_of(graph, part):
    return next(each for each in graph.graph_def.library.function if part in each.signature.name)


def call_itself(graph):
    function = function_of(graph, "__inference_f_")
    add_call(function, "again", function.signature.name)


def wait_in_a_circle(graph):
    function = function_of(graph, "__inference_f_")
    function.node_def[0].input.append(f"^{function.node_def[-1].name}")
    function.node_def[-1].input.append(f"^{function.node_def[0].name}")


def double_calls(graph):
    """Functions that call the one before twice: 2 ** 60 steps."""
    library = graph.graph_def.library
    before = None
    for number in range(60):
        function = library.function.add()
        function.signature.name = f"level_{number}"
        for each in ("a", "b") if before else ():
            add_call(function, each, before)
        before = function.signature.name
    add_call(function_of(graph, "__inference_f_"), "deep", before)


def add_call(function, name, called):
    node = function.node_def.add(name=name, op="StatefulPartitionedCall")
    node.attr["f"].func.name = called
    for attribute in ("Tin", "Tout"):
        node.attr[attribute].list.SetInParent()


def refer_to_no_object(graph):
    graph.object_graph_def.nodes[0].children.add(node_id=10**6, local_name="x")


def refer_to_itself(graph):
    graph.object_graph_def.nodes[0].children.add(node_id=0, local_name="own")


def split_endlessly(graph):
    node = function_of(graph, "__inference_f_").node_def.add(name="many", op="Unpack", input=["x"])
    node.attr["num"].i = 1 << 40


def grow_a_constant(graph):
    function = function_of(graph, "__inference_f_")
    node = next(each for each in function.node_def if each.op == "Const")
    node.attr["value"].tensor.tensor_shape.dim.add(size=1 << 40)


def grow_a_variable(graph):
    for node in graph.object_graph_def.nodes:
        if node.HasField("variable"):
            node.variable.shape.dim.add(size=1 << 40)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (call_itself, tf.errors.DataLossError),
        (wait_in_a_circle, tf.errors.DataLossError),
        (double_calls, NotImplementedError),
        (refer_to_no_object, tf.errors.DataLossError),
        (split_endlessly, tf.errors.DataLossError),
        (grow_a_constant, tf.errors.DataLossError),
        (grow_a_variable, tf.errors.DataLossError),
    ],
    ids=lambda value: value.__name__,
)
def test_impossible_model(change, error, tmp_path):
    models.recorded(tmp_path, ["control"])
    changed(tmp_path / "control", change)
    tracemalloc.start()
    with pytest.raises(error):
        tf.saved_model.load(str(tmp_path / "control")).f(tf.constant([1.0]), tf.constant(1))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MOST_BYTES


def test_object_that_refers_to_itself(tmp_path):
    models.recorded(tmp_path, ["control"])
    changed(tmp_path / "control", refer_to_itself)
    loaded = tf.saved_model.load(str(tmp_path / "control"))
    assert loaded.own.own is loaded


def test_missing_kernels_are_all_listed(tmp_path):
    """The variables are loaded, and other functions work."""
    models.recorded(tmp_path, ["plain"])

    def rename(graph):
        function = function_of(graph, "__inference___call__")
        for node in function.node_def:
            node.op = {"MatMul": "SparseMatMul", "Relu": "QuantizedRelu"}.get(node.op, node.op)

    changed(tmp_path / "plain", rename)
    loaded = tf.saved_model.load(str(tmp_path / "plain"))
    assert loaded.w.shape == [3, 2]
    with pytest.raises(NotImplementedError, match="lacks: QuantizedRelu, SparseMatMul"):
        loaded(models.FLOATS)


def test_types_that_do_not_exist_here(tmp_path):
    """The variables are loaded."""
    models.recorded(tmp_path, ["plain"])

    def rename(graph):
        for concrete in graph.object_graph_def.concrete_functions.values():
            concrete.output_signature.type_spec_value.type_spec_class_name = "StrangeSpec"
            concrete.output_signature.type_spec_value.type_spec_class = 12

    changed(tmp_path / "plain", rename)
    loaded = tf.saved_model.load(str(tmp_path / "plain"))
    assert loaded.w.shape == [3, 2]
    with pytest.raises(NotImplementedError, match="'StrangeSpec', which is not supported"):
        loaded(models.FLOATS)
    with pytest.raises(NotImplementedError, match="'StrangeSpec', which is not supported"):
        loaded.signatures["serving_default"](x=models.FLOATS)


def test_changed_program_is_not_run(tmp_path):
    models.save(tmp_path, ["plain"])

    def flip(graph):
        for function in graph.graph_def.library.function:
            for node in function.node_def:
                if node.op == "XlaCallModule":
                    code = bytearray(node.attr["module"].s)
                    code[len(code) // 2] ^= 1
                    node.attr["module"].s = bytes(code)

    changed(tmp_path / "plain", flip)
    with pytest.raises(tf.errors.DataLossError, match="checksum"):
        tf.saved_model.load(str(tmp_path / "plain"))(np.ones([1, 3], np.float32))
