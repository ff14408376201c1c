"""Tests that TensorFlow does not pass, by reason.

A test is listed by the name of its file, by its own name for all of its cases, or with one case in brackets.

A test that is listed and passes on TensorFlow fails the run, and so does a name that no test has. A test whose only
fault is that TensorFlow does what tfcompat refuses with NotImplementedError need not be listed.
"""

# ruff: noqa: E501 - the names of cases are as long as they are

from __future__ import annotations

FAILS: dict[str, tuple[str, ...]] = {
    "a known difference: migration_guide/differences.md": (
        "tests/program/test_differences.py",
        "tests/program/test_gradient_differences.py",
        "tests/program/test_number_differences.py",
        "tests/program/test_file_differences.py",
        "tests/program/test_checkpoint_differences.py",
        "tests/program/test_saved_model_differences.py",
        "tests/program/test_summary_differences.py",
        "tests/summary/test_graph.py::test_trace_has_the_functions_that_ran",
        "tests/summary/test_graph.py::test_nodes_are_the_recorded_steps",
        "tests/summary/test_graph.py::test_graph_of_a_concrete_function",
        "tests/summary/test_graph.py::test_messages_of_other_packages_are_written",
        "tests/saved/test_iterator.py::test_iterator_continues_where_it_was_saved[constant]",
        "tests/saved/test_iterator.py::test_iterator_continues_where_it_was_saved[interleaved]",
        "tests/saved/test_iterator.py::test_iterator_continues_where_it_was_saved[prefetched]",
        "tests/program/test_dataset_differences.py",
        "tests/program/test_pipeline_differences.py",
        "tests/program/test_storage_differences.py::test_missing_elements_of_a_saved_dataset_are_an_error",
        "tests/program/test_storage_differences.py::test_cache_with_another_number_of_components_is_refused",
        "tests/program/test_storage_differences.py::test_cut_data_file_of_a_cache",
        "tests/program/test_storage_differences.py::test_saving_of_some_datasets_is_refused",
        "tests/program/test_storage_differences.py::test_rejection_of_most_elements_is_logged",
        "tests/program/test_storage_differences.py::test_features_of_several_values_are_not_parsed_in_a_dataset",
        "tests/program/test_storage_differences.py::test_files_of_snappy_are_as_large_as_the_data",
        "tests/state/test_table.py::test_changing_tables_insert_look_up_and_remove[dense]",
    ),
    "a bad value is reported at the next read, and undoes what its program assigned; TensorFlow raises at the op": (
        "tests/function/test_function.py::test_a_bad_value_of_another_program_does_not_reach_variables",
        "tests/function/test_function.py::test_an_error_of_the_program_leaves_variables_as_they_were",
        "tests/function/test_python_call.py::TestErrors::test_later_calls_are_left_out",
        "tests/function/test_python_call.py::TestErrors::test_variables_are_as_they_were",
        "tests/ops/test_gathering.py::test_gather_reports_pending_indices_out_of_range",
        "tests/ops/test_indexing.py::test_pending_scalar_out_of_range_is_reported_by_the_read",
        "tests/ops/test_indexing.py::test_slice_begins_where_a_pending_tensor_says",
        "tests/ops/test_linear_algebra.py::test_inverse_of_a_computed_singular_matrix_raises_at_the_read",
        "tests/ops/test_segment.py::test_id_beyond_the_last_segment_is_refused",
    ),
    "after an interrupt in the first call, which may create variables, TensorFlow takes the next for a later call": (
        "tests/function/test_untraced.py::test_call_that_was_interrupted_can_be_made_again",
    ),
    "tfcompat refuses what TensorFlow does, with the class of another error": (
        "tests/function/test_batching.py::test_specs_are_batched_and_unbatched",
        "tests/function/test_function_type.py::test_options_that_are_none[value]",
        "tests/function/test_open_function.py::test_what_cannot_be_traced_for_any_size",
        "tests/function/test_row.py::test_vectorized_map_refuses_other_numbers_of_rows_and_assignments",
        "tests/function/test_slice.py::test_beyond_the_end_is_an_error",
        "tests/ops/test_numpy_like.py::test_arguments_that_are_not_honoured_are_refused[<lambda>-TypeError]",
        "tests/ops/test_numpy_like.py::test_axes_out_of_range_are_invalid_arguments[moveaxis_to]",
        "tests/ops/test_quantization.py::test_quantized_dtypes_can_be_asked_for_and_not_used",
    ),
    "tfcompat refuses with NotImplementedError what TensorFlow refuses or stumbles over for another reason": (
        "tests/distribute/test_later.py::test_servers_and_other_machines_are_refused[<lambda>3]",
        "tests/autodiff/test_execution.py::test_gradient_function_that_reads_a_value_cannot_be_vectorised",
        "tests/ops/test_numpy_like.py::test_arguments_that_are_not_honoured_are_refused[<lambda>-NotImplementedError0]",
        "tests/ops/test_quantization.py::test_ops_on_quantized_dtypes_are_refused[dequantize]",
        "tests/ops/test_quantization.py::test_ops_on_quantized_dtypes_are_refused[quantized_concat]",
        "tests/ops/test_sparse_tensor.py::test_what_is_no_operation_of_sparse_tensors[<lambda>-NotImplementedError]",
        "tests/state/test_variable.py::test_argument_that_cannot_be_honoured_names_itself[caching_device]",
        "tests/state/test_variable.py::test_argument_that_cannot_be_honoured_names_itself[variable_def]",
    ),
    "tfcompat does what TensorFlow refuses": (
        "tests/function/test_found_in_part.py::test_code_runs_once[forward]",
        "tests/data/format/test_composite.py::test_descriptions_can_be_pickled",
        "tests/function/test_autograph_loop.py::test_rewritten_function_works_on_values[for_defines_inside(4)]",
        "tests/function/test_autograph_loop.py::test_rewritten_function_works_on_values[for_uses_target_after(4)]",
        "tests/function/test_autograph_loop.py::test_rewritten_function_works_on_values[unconditional_return_in_loop(3)]",
        "tests/function/test_autograph_syntax.py::test_rewritten_function_works_on_values[break_undefined(3)]",
        "tests/function/test_autograph_syntax.py::test_rewritten_function_works_on_values[if_in_for_undefined(3)]",
        "tests/function/test_batching.py::test_classes_may_have_an_encoder_of_their_own",
        "tests/function/test_batching.py::test_encoders_go_there_and_back",
        "tests/function/test_composite_argument.py::test_concrete_functions",
        "tests/function/test_function.py::test_functions_are_copied_and_pickled_without_their_traces",
        "tests/function/test_input_signature.py::test_a_concrete_function_knows_what_it_takes_and_gives",
        "tests/function/test_known_value.py::test_error_keeps_its_class[assert_near]",
        "tests/function/test_open_function.py::test_open_dimensions_are_shown",
        "tests/function/test_open_function.py::test_strings_are_open_whatever_their_shape",
        "tests/function/test_retracing.py::test_as_many_traces_as_under_tensorflow[read-only mapping]",
        "tests/function/test_tensor_array.py::test_a_function_returns_an_array",
        "tests/ops/test_banded.py::test_rows_change_places_where_a_pivot_is_zero",
        "tests/state/test_creator.py::test_subclasses_and_other_threads_are_not_asked",
    ),
    "Python in a function: tfcompat takes shapes in Tout, gives the cause of errors, and keeps the functions alive": (
        "tests/function/test_python_call.py::TestEager::test_arguments_that_are_missing[func-numpy_function]",
        "tests/function/test_python_call.py::TestErrors::test_a_loop_that_waits_for_a_call_that_failed_ends",
        "tests/function/test_python_call.py::TestErrors::test_classes",
        "tests/function/test_python_call.py::TestGradients::test_jacobian",
        "tests/function/test_python_call.py::TestGradients::test_what_does_not_change_in_a_loop_is_called_in_every_iteration",
        "tests/function/test_python_call.py::TestInFunctions::test_answers_of_any_shape_pass_through_functions_and_tapes",
        "tests/function/test_python_call.py::TestInFunctions::test_every_run_calls_once[numpy_function]",
        "tests/function/test_python_call.py::TestInFunctions::test_python_runs_eagerly_in_the_calling_thread",
        "tests/function/test_python_call.py::TestInFunctions::test_rows[vectorized_map]",
        "tests/function/test_python_call.py::TestInFunctions::test_wide_values_are_not_cut_in_loops",
    ),
    "export to JAX, which is tfcompat's own": (
        "tests/function/test_export.py::test_export_for_other_platforms",
        "tests/function/test_export.py::test_export_of_a_random_function_is_refused",
        "tests/function/test_export.py::test_exported_function_runs_in_a_process_without_us",
        "tests/function/test_open_function.py::TestExport::test_all_sizes_in_one",
        "tests/function/test_open_function.py::TestExport::test_sizes_that_are_part_of_the_trace_are_refused",
        "tests/function/test_open_function.py::TestExport::test_sizes_that_must_be_equal_share_a_symbol",
    ),
    "the number of compilations is shown by tfcompat's own counters": (
        "tests/program/test_examples.py::test_demo_tells_the_spirals_apart_with_few_programs",
    ),
    "which names tfcompat has, and its messages about absent ones": (
        "tests/conformance/test_coverage.py::test_every_public_function_has_a_case",
        "tests/conformance/test_signature.py::test_exemptions_are_needed",
        "tests/conformance/test_signature.py::test_public_names_are_those_of_tensorflow",
    ),
    "the code of TensorFlow that does this is not in Python": (
        "tests/saved/test_management.py::test_interrupted_deletion_is_continued_by_the_next_save",
    ),
    "private parts of loading, which Keras 2 uses, in ways that it does not": (
        "tests/saved_model/test_partial.py::test_functions_list_their_parameters",
        "tests/saved_model/test_partial.py::test_paths_must_lead_to_objects",
    ),
    "the class is private to TensorFlow": (
        "tests/function/test_autograph_error.py::test_function_refuses_as_tensorflow_does[appends_in_branch(1)]",
        "tests/function/test_autograph_error.py::test_function_refuses_as_tensorflow_does[appends_in_loop(1)]",
        "tests/function/test_autograph_error.py::test_function_refuses_as_tensorflow_does[uses_an_element_that_was_mapped([1, 2])]",
        "tests/function/test_autograph_error.py::test_function_refuses_as_tensorflow_does[uses_what_a_branch_has_made(1)]",
        "tests/function/test_autograph_error.py::test_function_refuses_as_tensorflow_does[uses_what_leaves_a_function(1)]",
        "tests/function/test_type_spec.py::test_classes_to_ask_with_isinstance",
        "tests/function/test_type_spec.py::test_none_is_described_by_its_spec",
    ),
    "words of messages, tracebacks and texts": (
        "tests/function/test_autograph_error.py::test_message_and_traceback_show_the_lines_of_each_function",
        "tests/function/test_function_type.py::TestCompilerIR::test_stages[stablehlo_serialized-StableHLO]",
        "tests/function/test_retracing.py::test_frequent_retracing_is_logged_with_the_argument_that_changed",
    ),
    "TensorFlow has no kernel or no derivative": (
        "tests/function/test_while_loop.py::test_forward_over_reverse_goes_through_a_loop",
        "tests/ops/test_approximate_top.py::test_more_than_there_is_is_refused",
        "tests/ops/test_approximate_top.py::test_smallest_along_an_axis",
        "tests/ops/test_block.py::test_depth_undoes_space[NCHW]",
        "tests/ops/test_fourier.py::test_transforms_over_any_axes_are_checked",
        "tests/ops/test_fourier.py::test_transforms_over_any_axes_are_those_of_numpy",
        "tests/ops/test_resizing.py::test_accumulator_goes_forward_over_a_gradient",
        "tests/ops/test_resizing.py::test_forward_mode_and_jacobian_agree_with_the_gradient",
    ),
    "the functions of tf.experimental.numpy need experimental_enable_numpy_behavior() in TensorFlow": (
        "tests/ops/test_numpy_like.py::test_average_of_integers_is_their_mean",
        "tests/ops/test_numpy_like.py::test_fractions_of_integers_are_float64",
        "tests/ops/test_numpy_like.py::test_hypot_takes_python_numbers_by_their_own_dtype",
        "tests/ops/test_numpy_like.py::test_logaddexp_of_integers_is_float64",
        "tests/ops/test_numpy_like.py::test_round_and_around_take_negative_decimals",
        "tests/ops/test_numpy_like.py::test_take_along_axis_without_axis_takes_among_all_elements",
    ),
    "a fault of TensorFlow": (
        "tests/data/test_file_cache.py::test_iterator_without_room_neither_continues_nor_ends",
        "tests/saved/test_full_disk.py::test_a_checkpoint_without_a_descriptor_for_its_index_is_removed",
        "tests/saved/test_management.py::test_files_of_other_checkpoints_are_kept",
        "tests/saved/test_management.py::test_many_saves_keep_no_memory",
        "tests/saved_model/test_partial.py::test_given_objects_take_the_values_of_the_model",
        "tests/ops/test_csv_record.py::test_faults_are_invalid_arguments[bytes]",
        "tests/function/test_type_spec.py::test_specs_are_values[TensorArraySpec(TensorShape([None, 3]), tf.float64, True, False)]",
        "tests/ops/test_banded.py::test_gradient_of_the_eigenvalues_is_their_slope",
        "tests/ops/test_convolution.py::test_batch_may_be_empty",
        "tests/ops/test_convolution.py::test_conv2d_refuses_filters_that_do_not_fit[shape1-must fit into the input]",
        "tests/ops/test_ctc.py::test_second_derivative_is_finite",
        "tests/ops/test_fourier.py::test_gradient_of_a_cut_signal_is_zero_where_it_is_cut",
        "tests/ops/test_printing.py::test_ordered_dictionary_keeps_its_order",
        "tests/state/test_linear_operator.py::test_faults_are_none_here",
        "tests/state/test_structured_operator.py::test_spectra_are_looked_at",
    ),
    "an error that TensorFlow raises by accident is of another class": (
        "tests/function/test_cond.py::test_cond_refuses_branches_that_are_not_alike[structure]",
        "tests/ops/test_banded.py::test_diagonals_that_are_no_vectors",
        "tests/ops/test_convolution.py::test_transposed_convolution_refuses_a_shape_that_no_convolution_gives",
        "tests/ops/test_elementwise.py::test_integer_division_by_zero_is_refused[truncate_div]",
        "tests/ops/test_elementwise.py::test_integer_division_by_zero_is_refused[truncate_mod]",
        "tests/ops/test_layout.py::test_reshape_refuses_floats_in_tensorflows_class[[<tf.Tensor: shape=(), dtype=float32, numpy=nan>, 3]-<class 'tensorflow.python.framework.errors_impl.InvalidArgumentError'>-<class 'ValueError'>]",
        "tests/ops/test_numpy_like.py::test_compress_tells_the_axis_that_is_not_there",
        "tests/ops/test_sorting.py::test_top_k_refuses_k[1.5-TypeError]",
        "tests/state/test_generator.py::test_what_is_not_there_says_so",
        "tests/state/test_table.py::test_static_tables_refuse[TypeError-<lambda>3]",
    ),
    "TensorFlow computes the loss of sparse labels with fewer digits": (
        "tests/ops/test_ctc.py::test_gradient_is_the_slope",
    ),
    "under a tape, a function of TensorFlow draws with its own kernels, which start again": (
        "tests/function/test_random_in_control.py::test_gradient_meets_the_units_that_were_dropped",
    ),
    "TensorFlow may draw for the turns of a loop in any order": (
        "tests/function/test_random_in_control.py::test_functions_draw_from_streams_of_their_own_wherever_they_are_called",
        "tests/function/test_random_in_control.py::test_loops_of_inner_functions_go_on_from_call_to_call",
        "tests/function/test_random_in_control.py::test_setting_the_seed_starts_the_streams_of_loops_anew",
    ),
    "a number is a part of the trace until a tape watches it; TensorFlow traces once": (
        "tests/function/test_watched_number.py::test_function_is_traced_again_once",
    ),
    "TensorFlow may log that its own function behind jacobian is traced again": (
        "tests/autodiff/test_warning.py::test_float_tape_is_silent",
    ),
    "TensorFlow's result depends on the tests before, or differs between runs": (
        "tests/data/test_reducing.py::test_estimated_shares",
        "tests/function/test_iterator_argument.py::test_two_iterators_in_turn",
        "tests/program/test_examples.py::test_example_prints_what_it_prints_under_tensorflow[interrupted_training]",
    ),
    "where nan stands among sorted numbers": ("tests/ops/test_sorting.py::test_nan_comes_last",),
    "one trace for all divisions into rows, and one for all sizes": (
        "tests/function/test_composite_argument.py::test_rows_of_one_division_share_a_trace",
    ),
}

NOT_RUN: dict[str, tuple[str, ...]] = {
    "ends TensorFlow's process": (
        "tests/ops/test_fourier.py::test_lengths_are_positive",
        "tests/ops/test_pooling.py::test_max_pool_refuses[arguments7-InvalidArgumentError-must fit into the input]",
    ),
    "never ends in TensorFlow": (
        "tests/distribute/test_later.py::test_servers_and_other_machines_are_refused[<lambda>0]",
        "tests/distribute/test_later.py::test_servers_and_other_machines_are_refused[<lambda>1]",
        "tests/distribute/test_later.py::test_servers_and_other_machines_are_refused[<lambda>2]",
        "tests/data/test_snapshot.py::test_forked_processes_leave_a_snapshot_alone",
        "tests/program/test_number_differences.py::test_impossible_parameters_of_random_numbers_end",
        "tests/program/test_number_differences.py::test_rounds_of_index_shuffle_are_even",
    ),
}

# Files that are about tfcompat alone.
OWN_FILES = {
    "tests/conformance/test_docstring.py": "the form of tfcompat's docstrings",
    "tests/distribute/test_process_differences.py": "processes with which TensorFlow fails",
    "tests/program/test_strategy_differences.py": "replicas on devices that do not exist, for which TensorFlow waits",
    "tests/data/test_block_program.py": "the programs of functions of elements",
    "tests/data/test_hostile_storage.py": "damaged files, of which some end TensorFlow's process",
    "tests/saved/test_hostile_checkpoint.py": "damaged files, for which TensorFlow raises errors of many classes",
    "tests/saved/test_killing.py": "processes that import tfcompat",
    "tests/saved_model/test_hostile_model.py": "damaged files, for which TensorFlow raises errors of many classes",
    "tests/saved_model/test_killing.py": "processes that import tfcompat",
    "tests/data/format/test_remote_file.py": "fsspec's file systems",
    "tests/data/format/test_requirement.py": "tfcompat's optional packages",
    "tests/summary/test_waiting.py": "the thread that writes summaries, and errors that TensorFlow does not report",
}

# Listed tests that TensorFlow may pass all the same.
ALIKE = {
    "tests/data/test_reducing.py::test_estimated_shares",
    "tests/function/test_iterator_argument.py::test_two_iterators_in_turn",
    "tests/program/test_examples.py::test_example_prints_what_it_prints_under_tensorflow[interrupted_training]",
    "tests/program/test_differences.py::test_automatic_number_of_files_is_one",
    "tests/autodiff/test_warning.py::test_float_tape_is_silent",
    "tests/function/test_random_in_control.py::test_functions_draw_from_streams_of_their_own_wherever_they_are_called",
    "tests/function/test_random_in_control.py::test_loops_of_inner_functions_go_on_from_call_to_call",
    "tests/function/test_random_in_control.py::test_setting_the_seed_starts_the_streams_of_loops_anew",
    "tests/program/test_gradient_differences.py::test_integer_and_boolean_targets_have_no_gradient[less]",
    "tests/program/test_number_differences.py::test_compiled_functions_draw_the_same_numbers[False]",
    "tests/program/test_number_differences.py::test_elements_draw_in_their_order",
    "tests/program/test_differences.py::test_last_digits_of_long_sums_may_differ",
}
