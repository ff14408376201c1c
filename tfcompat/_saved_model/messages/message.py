"""The messages in the file `saved_model.pb`: graphs of functions, and the graph of objects."""

from __future__ import annotations

import functools
from typing import Any

from tfcompat._data.format.descriptor import Fields, message_classes
from tfcompat._data.format.stored_message import VALUE_MESSAGES, decoding_errors

_FILE = "tensorflow/core/protobuf/saved_model.proto"
_GRAPH: dict[str, Fields] = {
    "AttrValue": (
        ("s", 2, "bytes"),
        ("i", 3, "int64"),
        ("f", 4, "float"),
        ("b", 5, "bool"),
        ("type", 6, "int32"),
        ("shape", 7, "TensorShapeProto"),
        ("tensor", 8, "TensorProto"),
        ("list", 1, "AttrList"),
        ("func", 10, "NameAttrList"),
        ("placeholder", 9, "string"),
    ),
    "AttrList": (
        ("s", 2, "bytes*"),
        ("i", 3, "int64*"),
        ("f", 4, "float*"),
        ("b", 5, "bool*"),
        ("type", 6, "int32*"),
        ("shape", 7, "TensorShapeProto*"),
        ("tensor", 8, "TensorProto*"),
        ("func", 9, "NameAttrList*"),
    ),
    "NameAttrList": (("name", 1, "string"), ("attr", 2, "map AttrValue")),
    "ArgDef": (
        ("name", 1, "string"),
        ("type", 3, "int32"),
        ("type_attr", 4, "string"),
        ("number_attr", 5, "string"),
        ("type_list_attr", 6, "string"),
    ),
    "AttrDef": (("name", 1, "string"), ("type", 2, "string"), ("default_value", 3, "AttrValue")),
    "OpDef": (
        ("name", 1, "string"),
        ("input_arg", 2, "ArgDef*"),
        ("output_arg", 3, "ArgDef*"),
        ("control_output", 20, "string*"),
        ("attr", 4, "AttrDef*"),
        ("is_stateful", 17, "bool"),
    ),
    "OpList": (("op", 1, "OpDef*"),),
    "NodeDef": (
        ("name", 1, "string"),
        ("op", 2, "string"),
        ("input", 3, "string*"),
        ("device", 4, "string"),
        ("attr", 5, "map AttrValue"),
    ),
    "FunctionDef": (
        ("signature", 1, "OpDef"),
        ("attr", 5, "map AttrValue"),
        ("node_def", 3, "NodeDef*"),
        ("ret", 4, "map string"),
        ("control_ret", 6, "map string"),
    ),
    "RegisteredGradient": (("gradient_func", 1, "string"), ("registered_op_type", 2, "string")),
    "FunctionDefLibrary": (("function", 1, "FunctionDef*"), ("registered_gradients", 3, "RegisteredGradient*")),
    "GraphVersion": (("producer", 1, "int32"), ("min_consumer", 2, "int32"), ("bad_consumers", 3, "int32*")),
    "GraphDef": (("node", 1, "NodeDef*"), ("versions", 4, "GraphVersion"), ("library", 2, "FunctionDefLibrary")),
}
_OBJECTS: dict[str, Fields] = {
    "ObjectReference": (("node_id", 1, "int32"), ("local_name", 2, "string")),
    "SlotVariableReference": (
        ("original_variable_node_id", 1, "int32"),
        ("slot_name", 2, "string"),
        ("slot_variable_node_id", 3, "int32"),
    ),
    "SavedUserObject": (("identifier", 1, "string"), ("version", 2, "GraphVersion"), ("metadata", 3, "string")),
    "SavedAsset": (("asset_file_def_index", 1, "int32"),),
    "FunctionSpec": (
        ("fullargspec", 1, "StructuredValue"),
        ("is_method", 2, "bool"),
        ("input_signature", 5, "StructuredValue"),
        ("jit_compile", 6, "int32"),
    ),
    "SavedFunction": (("concrete_functions", 1, "string*"), ("function_spec", 2, "FunctionSpec")),
    "SavedVariable": (
        ("dtype", 1, "int32"),
        ("shape", 2, "TensorShapeProto"),
        ("trainable", 3, "bool"),
        ("synchronization", 4, "int32"),
        ("aggregation", 5, "int32"),
        ("name", 6, "string"),
        ("device", 7, "string"),
    ),
    "SavedBareConcreteFunction": (
        ("concrete_function_name", 1, "string"),
        ("argument_keywords", 2, "string*"),
        ("allowed_positional_arguments", 3, "int64"),
        ("function_spec", 4, "FunctionSpec"),
    ),
    "SavedConstant": (("operation", 1, "string"),),
    "SavedResource": (("device", 1, "string"),),
    "CapturedTensor": (("name", 1, "string"), ("concrete_function", 2, "string")),
    "SaveableObject": (("save_function", 2, "int32"), ("restore_function", 3, "int32")),
    "SavedObject": (
        ("children", 1, "ObjectReference*"),
        ("dependencies", 15, "ObjectReference*"),
        ("slot_variables", 3, "SlotVariableReference*"),
        ("user_object", 4, "SavedUserObject"),
        ("asset", 5, "SavedAsset"),
        ("function", 6, "SavedFunction"),
        ("variable", 7, "SavedVariable"),
        ("bare_concrete_function", 8, "SavedBareConcreteFunction"),
        ("constant", 9, "SavedConstant"),
        ("resource", 10, "SavedResource"),
        ("captured_tensor", 12, "CapturedTensor"),
        ("saveable_objects", 11, "map SaveableObject"),
        ("registered_name", 13, "string"),
        ("registered_saver", 16, "string"),
    ),
    "SavedConcreteFunction": (
        ("bound_inputs", 2, "int32*"),
        ("canonicalized_input_signature", 3, "StructuredValue"),
        ("output_signature", 4, "StructuredValue"),
    ),
    "SavedObjectGraph": (("nodes", 1, "SavedObject*"), ("concrete_functions", 2, "map SavedConcreteFunction")),
}
_MODEL: dict[str, Fields] = {
    "TensorInfo": (("name", 1, "string"), ("dtype", 2, "int32"), ("tensor_shape", 3, "TensorShapeProto")),
    "SignatureDef": (
        ("inputs", 1, "map TensorInfo"),
        ("outputs", 2, "map TensorInfo"),
        ("method_name", 3, "string"),
        ("defaults", 4, "map TensorProto"),
    ),
    "AssetFileDef": (("tensor_info", 1, "TensorInfo"), ("filename", 2, "string")),
    "MetaInfoDef": (
        ("stripped_op_list", 2, "OpList"),
        ("tags", 4, "string*"),
        ("tensorflow_version", 5, "string"),
        ("stripped_default_attrs", 7, "bool"),
        ("function_aliases", 8, "map string"),
    ),
    "SaverDef": (
        ("filename_tensor_name", 1, "string"),
        ("save_tensor_name", 2, "string"),
        ("restore_op_name", 3, "string"),
        ("max_to_keep", 4, "int32"),
        ("sharded", 5, "bool"),
        ("version", 7, "int32"),
    ),
    "MetaGraphDef": (
        ("meta_info_def", 1, "MetaInfoDef"),
        ("graph_def", 2, "GraphDef"),
        ("saver_def", 3, "SaverDef"),
        ("signature_def", 5, "map SignatureDef"),
        ("asset_file_def", 6, "AssetFileDef*"),
        ("object_graph_def", 7, "SavedObjectGraph"),
    ),
    "SavedModel": (("saved_model_schema_version", 1, "int64"), ("meta_graphs", 2, "MetaGraphDef*")),
}
_CHOICES = {"StructuredValue": "kind", "AttrValue": "value", "SavedObject": "kind"}
_BESIDE = {
    "SavedObject": (
        *("children", "dependencies", "slot_variables", "saveable_objects"),
        *("registered_name", "registered_saver"),
    )
}


@functools.cache
def messages() -> dict[str, type[Any]]:
    """The classes of the messages, by name."""
    return message_classes(_FILE, {**VALUE_MESSAGES, **_GRAPH, **_OBJECTS, **_MODEL}, _CHOICES, _BESIDE)


def saved_model_of(data: bytes, subject: str) -> Any:
    """The message `SavedModel` in `data`. Raises DataLossError, naming `subject`, for bytes of another form."""
    with decoding_errors(subject):
        return messages()["SavedModel"].FromString(data)
