"""Known differences from TensorFlow 2.21; `migration_guide/differences.md` lists each."""

from __future__ import annotations

import importlib
import sys

import numpy as np
import pytest

import tfcompat as tf


def test_classes_have_their_own_names():
    # TensorFlow: EagerTensor, ResourceVariable. Their modules are TensorFlow's under the alias.
    assert type(tf.constant(1.0)).__name__ == "Tensor"
    assert type(tf.Variable(1.0)).__name__ == "Variable"
    assert isinstance(tf.constant(1.0), tf.Tensor)
    assert isinstance(tf.Variable(1.0), tf.Variable)


def test_messages_have_their_own_words():
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.reduce_sum(tf.zeros([5]), axis=3)
    # TensorFlow: "Invalid reduction dimension (3 for input with 1 dimension(s) [Op:Sum]".
    assert str(caught.value).startswith("tf.reduce_sum: axis must be in [-1, 1), got 3")


def test_private_modules_are_missing(monkeypatch):
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    for name in [name for name in sys.modules if name.partition(".")[0] == "tensorflow"]:
        monkeypatch.delitem(sys.modules, name)
    tf.install_as_tensorflow()
    with pytest.raises(ModuleNotFoundError, match="private to TensorFlow"):
        importlib.import_module("tensorflow.python.grappler")


def rows_out_of_range(table):
    """Rows of `table` at indices that only the program knows."""
    return tf.gather(table, tf.cast(table * 2.0, tf.int32))


def test_bad_value_that_a_program_computes_is_reported_at_the_next_read():
    table = tf.Variable([1.0, 2.0])
    rows = rows_out_of_range(table)  # TensorFlow raises here.
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf\.gather.*test_differences\.py"):
            rows.numpy()


def test_program_with_a_bad_value_undoes_all_its_assignments():
    table, count = tf.Variable([1.0, 2.0]), tf.Variable(0.0)
    tf.sync()
    count.assign_add(1.0)
    rows = rows_out_of_range(table)
    with pytest.raises(tf.errors.InvalidArgumentError):
        rows.numpy()
    # TensorFlow: 1, since the assignment stands before the op that failed.
    assert count.numpy() == 0.0


def through_python(x):
    return tf.py_function(lambda value: value, [x], tf.float32)


def test_some_open_sizes_are_traced_again():
    def traces(function, *sizes):
        decorated = tf.function(function, input_signature=[tf.TensorSpec([None])])
        for size in sizes:
            decorated(tf.zeros([size]))
        return decorated.experimental_get_tracing_count()

    assert traces(lambda x: x * 2.0, 2, 3, 4, 5) == 1
    # TensorFlow: 1 for all of these.
    assert traces(lambda x: x * 2.0, 0, 1, 2, 3) == 3
    assert traces(through_python, 3, 4, 5) > 3


def test_concrete_functions_may_be_traced_for_a_size():
    function = tf.function(lambda x: through_python(x))
    concrete = function.get_concrete_function(tf.TensorSpec([None]))
    for count in (5, 6, 5):
        concrete(tf.zeros([count]))
    assert function.experimental_get_tracing_count() > 3  # TensorFlow: 1.


def test_open_dimensions_that_fit_one_size():
    weights = tf.ones([3, 2])
    function = tf.function(lambda x: tf.tensordot(x, weights, 1))
    # TensorFlow answers concrete functions whose result is of shape (None, 2), and of unknown shape.
    with pytest.raises(ValueError, match="the summed dimensions must be equal"):
        function.get_concrete_function(tf.TensorSpec([None, None]))
    assert function.get_concrete_function(tf.TensorSpec([None, 3])).output_shapes.as_list() == [None, 2]


def test_open_ranks_are_traced_one_by_one():
    ranks = []

    @tf.function
    def function(x):
        ranks.append(x.shape.rank)
        return x * 2.0

    concrete = function.get_concrete_function(tf.TensorSpec(None))
    for dims in ([2, 3], [4, 2], [3], [2, 3]):
        assert concrete(tf.ones(dims)).shape == dims
    # TensorFlow: [None].
    assert ranks == [2, 1]


def test_functions_refuse_types_of_variables():
    spec = tf.type_spec_from_value(tf.Variable([1.0, 2.0]))
    function = tf.function(lambda v: v + 1.0)
    # TensorFlow: a concrete function.
    with pytest.raises(NotImplementedError, match="a VariableSpec is not supported; pass a variable"):
        function.get_concrete_function(spec)


def test_variables_lost_in_a_loop_are_an_error_at_the_second_call():
    function = tf.function(lambda x: tf.map_fn(lambda row: row * tf.Variable(2.0), x))
    # TensorFlow: ValueError.
    assert function(tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 4.0]
    with pytest.raises(ValueError, match="singleton"):
        function(tf.constant([1.0, 2.0]))


def test_shapes_that_never_fit_are_invalid_arguments():
    for function in (lambda x: tf.argmax(x, 2), lambda x: tf.concat([x, x[0]], 0)):
        # TensorFlow: ValueError.
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.function(function, input_signature=[tf.TensorSpec([None, None])])(tf.zeros([2, 3]))
        with pytest.raises(ValueError):  # noqa: PT011  # with known sizes, as in TensorFlow
            tf.function(function)(tf.zeros([2, 3]))


def test_set_shape_is_checked_in_functions():
    def function(x):
        x.set_shape([None, 3])
        return x + 1.0

    concrete = tf.function(function).get_concrete_function(tf.TensorSpec([None, None]))
    assert concrete.output_shapes.as_list() == [None, 3]
    # TensorFlow: a tensor of shape (2, 4).
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not compatible with the expected"):
        concrete(tf.zeros([2, 4]))


def test_concrete_functions_have_specs_for_tensors():
    concrete = tf.function(lambda x: x * 2.0).get_concrete_function(tf.TensorSpec([None]))
    # TensorFlow: [<tf.Tensor 'x:0' shape=(None,) dtype=float32>], and so on.
    assert concrete.inputs == [tf.TensorSpec([None], tf.float32, "x")]
    assert concrete.outputs == [concrete.structured_outputs] == [tf.TensorSpec([None])]
    with pytest.raises(NotImplementedError, match="there are no TensorFlow graphs"):
        concrete.graph.as_graph_def()


def test_supertypes_of_arguments_have_other_traces():
    class Upper(tf.types.experimental.TraceType):
        def __init__(self, value):
            self.value = value

        def is_subtype_of(self, other):
            return self.value <= other.value

        def most_specific_common_supertype(self, others):
            return max([self, *others], key=lambda kind: kind.value)

        def placeholder_value(self, _):
            return self.value

        def __eq__(self, other):
            return type(other) is Upper and self.value == other.value

        def __hash__(self):
            return self.value

    class Number:
        def __init__(self, value):
            self.value = value

        def __tf_tracing_type__(self, _):
            return Upper(self.value)

    function = tf.function(lambda number: tf.constant(number))
    # TensorFlow: [3, 3], since 2 is a subtype of 3.
    assert [function(Number(value)).numpy() for value in (3, 2)] == [3, 2]


def test_strings_are_traced_by_value():
    function = tf.function(lambda x: x)
    assert [function(tf.constant(text)).numpy() for text in ("a", "b", "a")] == [b"a", b"b", b"a"]
    # TensorFlow: 1.
    assert function.experimental_get_tracing_count() == 2
    for count in (2, 8):  # other values are traced when they return
        assert [function(tf.constant(str(k))).numpy() for k in range(20)] == [str(k).encode() for k in range(20)]
        assert function.experimental_get_tracing_count() == count


def test_each_shape_of_a_captured_variable_has_a_trace():
    variable = tf.Variable([1.0], shape=[None])
    function = tf.function(lambda: tf.size(variable))
    for _ in range(2):
        for size in (1, 2, 3):
            variable.assign(tf.ones([size]))
            assert function().numpy() == size
    # TensorFlow: 1.
    assert function.experimental_get_tracing_count() == 3


@pytest.mark.parametrize("jit_compile", [None, True, False])
def test_everything_is_compiled_whatever_jit_compile_says(jit_compile):
    function = tf.function(lambda x: tf.sqrt(x) * 2.0 + 1.0, jit_compile=jit_compile)
    with tf.counted() as happened:
        for value in (1.0, 4.0, 9.0):
            function(tf.constant(value))
    # At most the first call runs op by op.
    assert happened.compiles + happened.cache_hits + happened.op_by_op == 3
    assert happened.compiles + happened.cache_hits >= 2


def test_classes_are_the_same_while_tracing():
    seen = []

    class Counter(tf.Module):
        count = None

        @tf.function
        def __call__(self, x):
            if self.count is None:
                self.count = tf.Variable(x)
            seen.append((type(self.count), type(x)))
            return self.count.assign_add(x)

    assert Counter()(tf.constant(1.0)).numpy() == 2.0
    # TensorFlow: UnliftedInitializerVariable, SymbolicTensor.
    assert set(seen) == {(tf.Variable, tf.Tensor)}


def test_python_runs_at_each_call_if_shapes_depend_on_data():
    runs = []

    @tf.function
    def positive_sum(x):
        runs.append(len(x))
        return tf.reduce_sum(tf.maximum(tf.unique(x).y, 0.0))

    for x in ([1.0, -1.0], [2.0, 3.0], [-1.0, 4.0]):
        assert positive_sum(tf.constant(x)).numpy() == sum(number for number in x if number > 0.0)
    assert runs == [2, 2, 2, 2]  # TensorFlow: [2]
    concrete = positive_sum.get_concrete_function(tf.TensorSpec([2]))
    assert concrete(tf.constant([1.0, -1.0])).numpy() == 1.0
    with pytest.raises(NotImplementedError, match="decides a shape"):
        concrete.structured_outputs  # noqa: B018

    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            positive = tf.repeat(x, tf.cast(x > 0.0, tf.int32))
            total = tf.constant(0.0)
            if tf.size(positive) > 1:
                total += tf.reduce_sum(x)
        return tape.gradient(total, x)

    assert gradient(tf.constant([1.0, 2.0])).numpy().tolist() == [1.0, 1.0]
    assert gradient(tf.constant([1.0, -2.0])) is None  # TensorFlow: [0.0, 0.0]


def test_assertion_under_a_tape_is_reported_at_the_next_read():
    @tf.function
    def root(x):
        tf.debugging.assert_positive(x)
        return tf.sqrt(x)

    for form in (root, root.python_function):
        with tf.GradientTape():
            answer = form(tf.constant([1.0, -1.0]) * 2.0)  # TensorFlow raises here.
            with pytest.raises(tf.errors.InvalidArgumentError, match="assert_positive"):
                answer.numpy()


def test_questions_for_a_next_element_do_not_wait_for_programs():
    @tf.function
    def rows(table, places):
        return tf.gather(table, places * 2)

    table, element = tf.ones([4, 2]), iter(tf.data.Dataset.range(1)).get_next_as_optional()
    for _ in range(2):
        rows(table, tf.constant([1])).numpy()
    bad = rows(table, tf.constant([5]))  # TensorFlow raises here.
    assert element.has_value()
    with pytest.raises(tf.errors.InvalidArgumentError, match="gather"):
        rows(table, tf.constant([1])).numpy()
    with pytest.raises(tf.errors.InvalidArgumentError, match="gather"):
        bad.numpy()


@pytest.mark.parametrize("derivative", [tf.gradients, tf.hessians])
def test_gradients_need_a_trace(derivative):
    @tf.function
    def slopes(row):
        distinct = tf.unique(row).y
        return tf.reduce_sum(derivative(tf.reduce_sum(row**2) * tf.reduce_sum(distinct), row)[0])

    with pytest.raises(NotImplementedError, match=r"Use tf\.GradientTape"):  # TensorFlow computes it
        slopes(tf.constant([1.0, 2.0]))


def test_rows_draw_in_their_order():
    def draw(row):
        return row + tf.random.uniform([], seed=3)

    tf.random.set_seed(5)
    drawn = [tf.random.uniform([], seed=3).numpy() for _ in range(3)]
    for by_row in (tf.map_fn, tf.vectorized_map):
        tf.random.set_seed(5)
        # TensorFlow: the three in any order, or what `tf.random.uniform([3], seed=3)` draws.
        found = tf.function(lambda rows, by_row=by_row: by_row(draw, rows))(tf.zeros([3])).numpy()
        assert found[0] == drawn[0]
        assert len(set(found.tolist())) == 3
        assert by_row is tf.vectorized_map or found.tolist() == drawn
    tf.random.set_seed(None)


def test_python_in_a_function_needs_a_shape():
    x = tf.constant([1.0, 2.0])

    def squared(x):
        return tf.py_function(lambda a: a * a, [x], tf.float32)

    assert tf.function(squared)(x).numpy().tolist() == [1.0, 4.0]
    runs = []

    @tf.function
    def shifted(x):
        runs.append(1)
        return squared(x) + 1.0

    assert [shifted(x).numpy().tolist() for _ in range(4)] == [[2.0, 5.0]] * 4
    assert len(runs) == 3  # TensorFlow: 1.
    assert tf.function(lambda x: tf.ensure_shape(squared(x), [2]) + 1.0)(x).numpy().tolist() == [2.0, 5.0]
    # TensorFlow looks at Tout's dtype only.
    wrong = tf.TensorSpec([3], tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"returned an array of shape \(2,\), expected \(3,\)"):
        tf.function(lambda x: tf.py_function(lambda a: a * a, [x], wrong))(x)


def test_python_in_a_function_shares_no_variables():
    v, w = tf.Variable(1.0), tf.Variable(1.0)

    @tf.function
    def reads():
        v.assign_add(1.0)
        return tf.py_function(lambda: v.numpy(), [], tf.float32)

    @tf.function
    def sees():
        tf.py_function(lambda: w.assign_add(1.0), [], tf.float32)
        return w * 1.0

    with pytest.raises(tf.errors.UnknownError, match="pass the value in `inp`"):
        reads()  # TensorFlow reads what v holds at that time.
    assert v.numpy() == 1.0
    assert [sees().numpy(), sees().numpy(), w.numpy()] == [1.0, 2.0, 3.0]  # TensorFlow: 2, 3, 3.


def test_last_digits_of_long_sums_may_differ():
    numbers = np.random.default_rng(0).uniform(size=100_000).astype(np.float32)
    exact = numbers.astype(np.float64).sum()
    assert abs(float(tf.reduce_sum(numbers)) / exact - 1) < 1e-5


def test_programs_hold_no_strings():
    runs = []

    @tf.function
    def renamed(x):
        runs.append(1)
        name = "high"
        while x > 0.4:
            x, name = x / 2.0, "low"
        return name

    for _ in range(3):
        assert renamed(tf.constant(0.5)).numpy() == b"low"
    assert len(runs) == 4  # TensorFlow: 1.
    assert tf.function(lambda x: tf.where(x > 1.0, "high", "low"))(tf.constant(0.5)).numpy() == b"low"


def test_patterns_match_no_single_bytes():
    # TensorFlow: b"___".
    with pytest.raises(NotImplementedError, match="is not supported in patterns"):
        tf.strings.regex_replace("aβ", r"\C", "_")
    assert tf.strings.regex_replace("aβ", r"(?s:.)", "_").numpy() == b"__"


def test_repeated_groups_may_remember_nothing():
    # TensorFlow: b"[a]".
    assert tf.strings.regex_replace("a", "(a?)+", r"[\1]").numpy() == b"[]"
    assert tf.strings.regex_replace("a", "(a)+", r"[\1]").numpy() == b"[a]"


def test_malformed_bytes_of_other_encodings_are_cut_as_python_does():
    # TensorFlow: [97, 128, 65533, 98].
    assert tf.strings.unicode_decode(b"a\x80\xe9b", "EUC-JP").numpy().tolist() == [97, 65533, 65533, 98]


def test_dense_table_exports_what_it_holds():
    table = tf.lookup.experimental.DenseHashTable(tf.string, tf.int64, -1, empty_key="", deleted_key="$")
    table.insert(["b", "a"], [1, 2])
    # TensorFlow: 131072 keys of shape [1], all but two of them the empty key.
    assert [part.numpy().tolist() for part in table.export()] == [[b"b", b"a"], [1, 2]]


def test_functions_of_tables_that_change_run_untraced():
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, 0.0)
    function = tf.function(lambda key: table.lookup(key))
    assert function(tf.constant(1, tf.int64)).numpy() == 0.0
    concrete = function.get_concrete_function(tf.constant(1, tf.int64))
    table.insert(tf.constant([1], tf.int64), [2.0])
    assert concrete(tf.constant(1, tf.int64)).numpy() == 2.0
    # TensorFlow: a tensor.
    with pytest.raises(NotImplementedError, match="StaticHashTable"):
        concrete.outputs  # noqa: B018


def test_static_table_takes_lists():
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), 0)
    # TensorFlow: AttributeError: 'list' object has no attribute 'dtype'.
    assert table.lookup(["a", "b"]).numpy().tolist() == [1, 0]


def test_chosen_boxes_have_no_gradient():
    boxes = tf.constant([[0.0, 0.0, 1.0, 1.0], [0.5, 0.5, 0.9, 0.9]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(boxes)
        scores = tf.image.non_max_suppression_with_scores(boxes, [0.5, 0.7], 2)[1]
        window = tf.image.stateless_sample_distorted_bounding_box([40, 50, 3], boxes[None], (1, 2)).bboxes
    # TensorFlow: LookupError, "gradient registry has no entry for: NonMaxSuppressionV5".
    assert tape.gradient(scores, boxes) is None
    assert tape.gradient(window, boxes) is None


def test_computed_index_of_an_image_is_an_invalid_argument():
    image, whole = tf.ones([1, 2, 2, 1]), [[0.0, 0.0, 1.0, 1.0]]
    with pytest.raises(tf.errors.OutOfRangeError):
        tf.image.crop_and_resize(image, whole, [4], [2, 2])
    computed = tf.cast(tf.reduce_sum(image, [1, 2, 3]), tf.int32)
    # TensorFlow: OutOfRangeError.
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.image.crop_and_resize(image, whole, computed, [2, 2]).numpy()


def test_greedy_decoding_in_a_function_checks_numbers_of_frames():
    decode = tf.function(lambda x, lengths: tf.nn.ctc_greedy_decoder(x, lengths)[1])
    # TensorFlow: FailedPreconditionError.
    with pytest.raises(tf.errors.InvalidArgumentError, match="must not exceed the number of frames"):
        decode(tf.zeros([2, 1, 3]), tf.constant([3])).numpy()


ROWS = tf.ragged.constant([[1.0, 2.0], [], [3.0, 4.0]])


def test_division_into_rows_is_part_of_the_trace():
    total = tf.function(lambda rows: tf.reduce_sum(rows, axis=1))
    for rows in (ROWS, ROWS + 1.0, ROWS[1:]):
        total(rows)
    # TensorFlow: 2, and 1 with an input_signature.
    assert total.experimental_get_tracing_count() == 2
    signed = tf.function(lambda rows: rows * 2.0, input_signature=[tf.RaggedTensorSpec([None, None])])
    for rows in (ROWS, ROWS[1:], ROWS[:, :1], ROWS[:, :1]):
        signed(rows)
    assert signed.experimental_get_tracing_count() == 3


def test_computed_ids_have_a_row_for_each_of_the_shape():
    table = tf.Variable([[1.0], [2.0]])
    ids = tf.SparseTensor([[0, 0], [0, 1]], tf.constant([1, 1], tf.int64), [2, 2])

    def looked_up(ids):
        with tf.GradientTape() as tape:
            found = tf.nn.embedding_lookup_sparse(table, ids, None, combiner="sum")
        return found, tape.gradient(found, table).indices

    found, indices = tf.function(looked_up)(ids)
    # TensorFlow: as outside of the function.
    assert (found.numpy().tolist(), indices.numpy().tolist()) == ([[4.0], [0.0]], [1, 1])
    found, indices = looked_up(ids)
    assert (found.numpy().tolist(), indices.numpy().tolist()) == ([[4.0]], [1])


def test_gradient_of_padded_values_is_dense():
    values = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        padded = tf.RaggedTensor.from_row_lengths(values, [2, 1]).to_tensor()
        looked_up = tf.nn.embedding_lookup_sparse(values[:, None] + 0.0, tf.ragged.constant([[0], [2]]), None)
    # TensorFlow: IndexedSlices.
    assert isinstance(tape.gradient(padded, values), tf.Tensor)
    assert tape.gradient(looked_up, values).numpy().tolist() == [1.0, 0.0, 1.0]


def test_gradients_of_sparse_tensors_that_tensorflow_fails_at():
    values = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        sparse = tf.SparseTensor([[0, 0], [1, 1]], values, [2, 2])
        doubled = (sparse * 2.0).values  # TensorFlow: InvalidArgumentError.
        larger = tf.sparse.maximum(sparse, sparse).values  # TensorFlow: TypeError.
        counted = tf.sparse.bincount([[1, 2]], weights=[values], axis=-1).values  # TensorFlow: LookupError.
    assert tape.gradient(doubled, values).numpy().tolist() == [2.0, 2.0]
    assert tape.gradient(larger, values) is None
    assert tape.gradient(counted, values) is None


def test_sparse_tensors_out_of_order():
    sparse = tf.SparseTensor([[1, 0], [0, 0]], [2.0, 1.0], [2, 2])
    found = tf.sparse.maximum(sparse, tf.SparseTensor([[0, 0]], [5.0], [2, 2]))
    # TensorFlow does not find the two at [0, 0].
    assert found.indices.numpy().tolist() == [[0, 0], [1, 0]]
    assert found.values.numpy().tolist() == [5.0, 2.0]
    # TensorFlow: [1.0, 4.0, 1.0] at [0, 0], [1, 0] and [0, 0] again.
    assert tf.sparse.add(sparse, tf.sparse.reorder(sparse)).values.numpy().tolist() == [2.0, 4.0]


def test_gather_stays_inside_of_ragged_rows():
    assert tf.gather(ROWS[::2], [1], axis=1).numpy().tolist() == [[2.0], [4.0]]
    # TensorFlow: [[2.0], [4.0], [5.0]], an element of the next row.
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.gather(tf.ragged.constant([[1.0, 2.0], [3.0], [4.0, 5.0]]), [1], axis=1)


def test_jacobian_of_ragged_source_counts_flat_values():
    with tf.GradientTape() as tape:
        tape.watch(ROWS)
        y = tf.reduce_sum(ROWS * ROWS, axis=1)
    # TensorFlow: ValueError.
    assert tape.jacobian(y, ROWS).numpy().tolist() == [[2.0, 4.0, 0.0, 0.0], [0.0] * 4, [0.0, 0.0, 6.0, 8.0]]


def test_ragged_and_sparse_operands_on_the_right():
    # TensorFlow: an array of three ragged tensors; TypeError.
    assert (np.array([[1.0], [2.0], [3.0]]) + ROWS).to_list() == [[2.0, 3.0], [], [6.0, 7.0]]
    assert (2.0 * tf.SparseTensor([[0]], [1.5], [2])).values.numpy().tolist() == [3.0]


def test_datasets_have_one_class():
    dataset = tf.data.Dataset.range(5).batch(2)
    # TensorFlow: _BatchDataset.
    assert type(dataset) is tf.data.Dataset
    assert repr(dataset).startswith("<_BatchDataset ")


def test_file_that_is_missing_is_passed_over(tmp_path):
    (tmp_path / "there").write_text("1")
    iterator = iter(tf.data.TextLineDataset([tmp_path / "missing", tmp_path / "there"]))
    with pytest.raises(tf.errors.NotFoundError):
        next(iterator)
    assert next(iterator).numpy() == b"1"


def test_automatic_number_of_files_is_one(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_text(f"{name}1\n{name}2")
    lines = tf.data.TextLineDataset([tmp_path / "a", tmp_path / "b"], num_parallel_reads=tf.data.AUTOTUNE)
    assert [*lines.as_numpy_iterator()] == [b"a1", b"a2", b"b1", b"b2"]


def test_sizes_and_calls_are_positive():
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_parallel_calls must be greater than zero"):
        tf.data.Dataset.range(5).batch(2, num_parallel_calls=0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Batch size must be greater than zero"):
        tf.data.Dataset.range(5).batch(2).rebatch(0)


def test_range_takes_numbers_by_position():
    with pytest.raises(TypeError, match=r"start, stop and step are passed by position; got .*: step"):
        tf.data.Dataset.range(5, step=2)


def test_error_belongs_to_one_window():
    values = tf.data.Dataset.from_generator(lambda: iter([1, "a", 3, 4]), tf.int32, [])
    windows = iter(values.window(2, shift=1))
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(windows)
    assert [x.numpy() for x in next(windows)] == [3, 4]


def test_printing_to_a_level_of_logging_uses_the_logger(caplog):
    with caplog.at_level("INFO", "tensorflow"):
        tf.print("loss", tf.constant(1.5), output_stream=tf.compat.v1.logging.WARN)
    assert caplog.record_tuples == [("tensorflow", 30, "loss 1.5")]
