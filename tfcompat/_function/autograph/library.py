"""The names used from `diastatic-malt`, TensorFlow's AutoGraph as a library, which has no type annotations."""

# pyright: reportMissingTypeStubs=false

from __future__ import annotations

import pathlib
from typing import Any

import malt
from malt import converters as _converters
from malt.core import ag_ctx, converter, unsupported_features_checker
from malt.impl import api
from malt.lang import directives
from malt.operators import data_structures, function_wrappers, py_builtins, slices, variables
from malt.pyct import error_utils, errors, inspect_utils, origin_info
from malt.utils import ag_logging

FOLDER = f"{pathlib.Path(str(malt.__file__)).parent}/"

# Generated functions carry a mark.
mark: Any = api.autograph_artifact
is_marked: Any = api.is_autograph_artifact
is_builtin: Any = inspect_utils.isbuiltin
is_constructor: Any = inspect_utils.isconstructor

Transpiler: Any = api.PyToPy
copy_origin: Any = origin_info.copy_origin
Options: Any = converter.ConversionOptions
Feature: Any = converter.Feature
Program: Any = converter.ProgramContext
Undefined: Any = variables.Undefined
UndefinedReturnValue: Any = variables.UndefinedReturnValue

# `current()` is the status of rewriting in this thread; each `Status` is a context manager.
Status: Any = ag_ctx.ControlStatusCtx
current: Any = ag_ctx.control_status_ctx
ENABLED: Any = ag_ctx.Status.ENABLED
DISABLED: Any = ag_ctx.Status.DISABLED

ConversionError: Any = api.ConversionError
StagingError: Any = api.StagingError
MultilineKeyError: Any = error_utils.MultilineMessageKeyError
OwnError: Any = errors.PyCTError
OF_TEXT: Any = error_utils.KNOWN_STRING_CONSTRUCTOR_ERRORS
Unsupported: Any = errors.UnsupportedLanguageElementError
UNSUITABLE: Any = (errors.InaccessibleSourceCodeError, Unsupported)

# Built-in functions that inspect the caller's frame.
in_context: Any = {
    eval: py_builtins.eval_in_original_context,
    super: py_builtins.super_in_original_context,
    globals: lambda _f, _args, scope: py_builtins.globals_in_original_context(scope),
    locals: lambda _f, _args, scope: py_builtins.locals_in_original_context(scope),
}

set_loop_options: Any = directives.set_loop_options
DIRECTIVES = {"set_element_type", "set_loop_options"}

converters: Any = _converters
refuse_unsupported: Any = unsupported_features_checker.verify
set_verbosity: Any = ag_logging.set_verbosity

# The functions that generated code calls for which malt's implementation is used unchanged, by name.
plain_operators: dict[str, Any] = {
    "ConversionOptions": Options,
    "Feature": Feature,
    "FunctionScope": function_wrappers.FunctionScope,
    "GetItemOpts": slices.GetItemOpts,
    "ListPopOpts": data_structures.ListPopOpts,
    "ListStackOpts": data_structures.ListStackOpts,
    "STD": converter.STANDARD_OPTIONS,
    "Undefined": Undefined,
    "UndefinedReturnValue": UndefinedReturnValue,
    "autograph_artifact": mark,
    "ld": variables.ld,
    "ldu": variables.ldu,
    "list_append": data_structures.list_append,
    "list_pop": data_structures.list_pop,
    "list_stack": data_structures.list_stack,
    "new_list": data_structures.new_list,
    "with_function_scope": function_wrappers.with_function_scope,
}
