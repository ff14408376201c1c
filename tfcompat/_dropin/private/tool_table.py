"""Rows for TensorFlow's private modules about tracked objects, structures, decorators and dispatch."""

from __future__ import annotations

_TRACKING = "tfcompat._state.tracking"
_NEST = "tfcompat._keras.shallow_nest"
_ELEMENT = "tfcompat._keras.element_nest"
_STRUCT = "tfcompat._saved_model.messages.struct_message"
_DEPRECATION = "tfcompat._keras.deprecation"
_MONITORING = "tfcompat._keras.monitoring"
_DISPATCH = "tfcompat._keras.dispatcher"

ROWS: tuple[tuple[str, str], ...] = (
    (
        "core.protobuf.struct_pb2",
        f"BoundedTensorSpecProto={_STRUCT}:BoundedTensorSpecProto DictValue={_STRUCT}:DictValue "
        f"ListValue={_STRUCT}:ListValue NamedTupleValue={_STRUCT}:NamedTupleValue NoneValue={_STRUCT}:NoneValue "
        f"PairValue={_STRUCT}:PairValue StructuredValue={_STRUCT}:StructuredValue "
        f"TensorSpecProto={_STRUCT}:TensorSpecProto TupleValue={_STRUCT}:TupleValue "
        f"TypeSpecProto={_STRUCT}:TypeSpecProto",
    ),
    (
        "python.data.util.nest",
        f"assert_same_structure={_ELEMENT}:assert_same_structure flatten={_ELEMENT}:flatten "
        f"flatten_up_to={_ELEMENT}:flatten_up_to is_nested={_ELEMENT}:is_nested "
        f"map_structure={_ELEMENT}:map_structure map_structure_up_to={_ELEMENT}:map_structure_up_to "
        f"pack_sequence_as={_ELEMENT}:pack_sequence_as",
    ),
    (
        "python.eager.monitoring",
        f"BoolGauge={_MONITORING}:BoolGauge Counter={_MONITORING}:Counter IntGauge={_MONITORING}:IntGauge "
        f"Metric={_MONITORING}:Metric StringGauge={_MONITORING}:StringGauge",
    ),
    ("python.ops.distributions.util", "gen_new_seed=tfcompat._keras.salted_seed:gen_new_seed"),
    ("python.ops.list_ops", ""),
    (
        "python.saved_model.nested_structure_coder",
        "decode_proto=__internal__.saved_model.decode_proto encode_structure=__internal__.saved_model.encode_structure",
    ),
    (
        "python.tpu.embedding_context_utils",
        "SequentialEmbeddingContext=tfcompat._keras.embedding_context:SequentialEmbeddingContext",
    ),
    (
        "python.trackable.autotrackable",
        f"AutoTrackable={_TRACKING}.auto_trackable:AutoTrackable",
    ),
    (
        "python.trackable.base",
        f"Trackable={_TRACKING}.trackable:Trackable TrackableReference={_TRACKING}.trackable:TrackableReference "
        f"no_automatic_dependency_tracking={_TRACKING}.trackable:no_automatic_dependency_tracking "
        f"no_automatic_dependency_tracking_scope={_TRACKING}.trackable:no_automatic_dependency_tracking_scope",
    ),
    (
        "python.trackable.data_structures",
        f"ListWrapper={_TRACKING}.list_wrapper:ListWrapper _DictWrapper={_TRACKING}.dict_wrapper:_DictWrapper "
        f"NoDependency={_TRACKING}.wrapping:NoDependency _TupleWrapper={_TRACKING}.tuple_wrapper:_TupleWrapper "
        f"TrackableDataStructure={_TRACKING}.data_structure:TrackableDataStructure "
        f"sticky_attribute_assignment={_TRACKING}.wrapping:sticky_attribute_assignment "
        f"wrap_or_unwrap={_TRACKING}.wrapping:wrap_or_unwrap",
    ),
    ("python.training.tracking.base", f"Trackable={_TRACKING}.trackable:Trackable"),
    ("python.training.tracking.data_structures", f"NoDependency={_TRACKING}.wrapping:NoDependency"),
    ("python.training.tracking.tracking", f"AutoTrackable={_TRACKING}.auto_trackable:AutoTrackable"),
    ("python.types.core", "Tensor=__internal__.types.Tensor TensorLike=types.experimental.TensorLike"),
    ("python.util.compat", "*compat"),
    (
        "python.util.deprecation",
        f"deprecated={_DEPRECATION}:unchanged deprecated_args={_DEPRECATION}:unchanged "
        f"deprecated_arg_values={_DEPRECATION}:unchanged deprecated_endpoints={_DEPRECATION}:unchanged "
        f"deprecated_alias={_DEPRECATION}:alias deprecated_argument_lookup={_DEPRECATION}:argument "
        f"silence={_DEPRECATION}:silence",
    ),
    (
        "python.util.dispatch",
        f"add_dispatch_support={_DISPATCH}:add_dispatch_support "
        f"GlobalOpDispatcher={_DISPATCH}:GlobalOpDispatcher OpDispatcher={_DISPATCH}:OpDispatcher "
        f"dispatch_for_api=experimental.dispatch_for_api dispatch_for_types={_DISPATCH}:dispatch_for_types",
    ),
    (
        "python.util.nest",
        f"assert_shallow_structure={_NEST}:assert_shallow_structure flatten_up_to={_NEST}:flatten_up_to "
        f"flatten_with_joined_string_paths={_NEST}:flatten_with_joined_string_paths "
        f"flatten_with_tuple_paths={_NEST}:flatten_with_tuple_paths "
        f"get_traverse_shallow_structure={_NEST}:get_traverse_shallow_structure is_attrs={_NEST}:is_attrs "
        f"is_mapping={_NEST}:is_mapping list_to_tuple={_NEST}:list_to_tuple "
        f"map_structure_up_to={_NEST}:map_structure_up_to "
        f"map_structure_with_paths={_NEST}:map_structure_with_paths "
        f"map_structure_with_tuple_paths={_NEST}:map_structure_with_tuple_paths "
        f"map_structure_with_tuple_paths_up_to={_NEST}:map_structure_with_tuple_paths_up_to "
        f"sequence_like={_NEST}:sequence_like yield_flat_paths={_NEST}:yield_flat_paths "
        f"_is_namedtuple={_NEST}:is_namedtuple _sequence_like={_NEST}:sequence_like "
        f"_yield_sorted_items={_NEST}:sorted_items _yield_value={_NEST}:values *nest",
    ),
    ("python.util.tf_contextlib", "contextmanager=contextlib:contextmanager"),
    (
        "python.util.tf_decorator",
        "make_decorator=__internal__.decorator.make_decorator unwrap=__internal__.decorator.unwrap",
    ),
    (
        "python.util.tf_inspect",
        "_inspect=tfcompat._keras.inspection:inspect ArgSpec=tfcompat._keras.inspection:ArgSpec "
        "getargspec=tfcompat._keras.inspection:getargspec "
        "getfullargspec=tfcompat._keras.inspection:getfullargspec *inspect:",
    ),
)
