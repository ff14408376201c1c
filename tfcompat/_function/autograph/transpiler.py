"""The transpiler: `diastatic-malt` rewrites a function's source into calls of the operators of this package."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import CodeType, FunctionType, ModuleType
from typing import Any

from tfcompat._function.autograph import library
from tfcompat._function.autograph.binding import BoundNames
from tfcompat._function.autograph.passes import passed
from tfcompat._function.autograph.relocation import OPERATORS, relocated
from tfcompat._jaxpr.comparison import Unwatched


class Transpiler(library.Transpiler):
    """Rewrites functions, each code object once."""

    def __init__(self, operators: ModuleType) -> None:
        super().__init__()
        self._operators = operators
        self._relocated: dict[str, CodeType] = {}

    def get_extra_locals(self) -> dict[str, Any]:
        """The names that generated code can use in addition to those of the original."""
        return {OPERATORS: self._operators}

    def get_transformed_name(self, node: Any) -> str:
        """TensorFlow's name for the rewritten function `node`."""
        return "tf__" + super().get_transformed_name(node).removeprefix("ag__")

    def has_rewritten(self, function: Callable[..., Any], options: Any) -> bool:
        """Whether the code of `function` is rewritten already."""
        return self._cache.has(function, self.get_caching_key(library.Program(options)))

    def transform_ast(self, node: Any, ctx: Any) -> Any:
        """The syntax tree `node` of a function, rewritten."""
        node = BoundNames().visit(node)
        library.refuse_unsupported(node)
        return passed(self.initial_analysis(node, ctx), ctx)

    def rewritten(self, function: Callable[..., Any], options: Any) -> FunctionType:
        """`function` rewritten, with the line numbers of its file. Raises malt's errors if that is impossible."""
        with Unwatched():
            made, module, origins = self.transform(function, library.Program(options))
        code = self._relocated.get(module.__name__)
        if code is None:
            code = relocated(made.__code__, module, origins, function.__code__)
            self._relocated[module.__name__] = code
        made.__code__ = code
        made.__module__ = function.__module__
        return made

    def source(self, function: Callable[..., Any], options: Any) -> str:
        """The source code of `function` rewritten."""
        made, _, _ = self.transform(function, library.Program(options))
        return inspect.getsource(made)
