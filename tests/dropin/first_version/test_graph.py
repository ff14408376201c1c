"""The default graph: its properties in an eager program and in a function, and refusals at use."""

from __future__ import annotations

import pytest

import tfcompat as tf

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def _new_graph():
    v1.reset_default_graph()
    yield
    v1.reset_default_graph()


def test_graph_of_an_eager_program_is_empty():
    graph = v1.get_default_graph()
    assert graph is v1.get_default_graph()
    tf.constant(1) + 1
    assert (graph.building_function, graph.seed, graph.version) == (False, None, 0)
    assert (graph.operations, graph.get_operations(), graph.collections) == ([], [], [])
    assert not hasattr(graph, "outer_graph")
    with tf.name_scope("a"):
        assert graph.get_name_scope() == ""


def test_graph_has_the_creators_of_variables_for_keras_2():
    graph = v1.get_default_graph()
    assert not graph._variable_creator_stack
    with tf.variable_creator_scope(lambda create, **given: create(**given)):
        assert len(graph._variable_creator_stack) == 1


def test_graph_of_a_function_is_its_own():
    eager, found = v1.get_default_graph(), []

    @tf.function
    def traced():
        graph = v1.get_default_graph()
        with tf.name_scope("a"), graph.as_default() as same:
            found.append((graph is same, graph is v1.get_default_graph(), graph.get_name_scope()))
        found.append((graph.building_function, graph.outer_graph is eager, graph.name))
        found.append(graph)
        return tf.constant(1)

    traced()
    assert found[:2] == [(True, True, "a"), (True, True, "traced")]
    assert v1.get_default_graph() is eager
    with pytest.raises(NotImplementedError, match="as_default"), found[2].as_default():
        pass


def test_graph_of_a_function_has_the_global_seed():
    tf.random.set_seed(7)
    seeds = []
    tf.function(lambda: seeds.append(v1.get_default_graph().seed))()
    assert seeds == [7]
    assert v1.get_default_graph().seed is None


def test_graph_has_the_collections():
    graph = v1.get_default_graph()
    graph.add_to_collection("numbers", 4)
    graph.add_to_collections(["numbers", "others"], 5)
    assert (
        v1.get_collection("numbers") == graph.get_collection("numbers") == graph.get_collection_ref("numbers") == [4, 5]
    )
    assert graph.get_all_collection_keys() == ["numbers", "others"]
    graph.clear_collection("numbers")
    assert graph.get_collection("numbers") == []


def test_new_graph_is_empty():
    graph = v1.get_default_graph()
    graph.finalize()
    graph.add_to_collection("numbers", 4)
    assert graph.finalized
    v1.reset_default_graph()
    assert v1.get_default_graph() is not graph
    assert not v1.get_default_graph().finalized
    assert v1.get_collection("numbers") == []


def test_names_are_given_out_once():
    graph = v1.get_default_graph()
    assert [graph.unique_name(name) for name in ("x", "x", "x", "x_1", "y", "X")] == [
        *("x", "x_1", "x_2", "x_1_1", "y", "X_3"),
    ]
    assert [graph.unique_name("y", mark_as_used=False), graph.unique_name("y")] == ["y_1", "y_1"]


@pytest.mark.parametrize(
    ("name", "way_out"),
    [
        ("as_default", "tf.function"),
        ("as_graph_def", "stablehlo"),
        ("get_tensor_by_name", "Keep the tensor"),
        ("gradient_override_map", "tf.custom_gradient"),
        ("device", "tf.device"),
        ("control_dependencies", "tf.control_dependencies"),
        ("name_scope", "tf.name_scope"),
        ("create_op", "tf.function"),
    ],
)
def test_what_it_cannot_do_is_refused_at_use(name, way_out):
    graph = v1.get_default_graph()
    with pytest.raises(NotImplementedError, match=rf"tf\.Graph\.{name} is not supported\. .*{way_out}"):
        getattr(graph, name)()
    assert not hasattr(graph, name)


def test_names_that_a_graph_has_not_are_absent():
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = v1.get_default_graph().no_such_name


def test_graph_of_a_function_that_runs_untraced_is_the_default():
    seen = []

    @tf.function
    def function(x):
        distinct, _ = tf.unique(x)  # its size depends on the data, so the function runs untraced
        with v1.get_default_graph().as_default() as graph:
            seen.append(graph is v1.get_default_graph())
            return distinct + 1.0

    assert function(tf.constant([2.0, 2.0, 3.0])).numpy().tolist() == [3.0, 4.0]
    assert seen[-1] is True
