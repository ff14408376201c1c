"""`if` statements and conditional expressions: on a staged tensor they become `tf.cond`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfcompat._core.calls.by_row import with_tensors
from tfcompat._core.types import nest
from tfcompat._function.autograph.library import Undefined, UndefinedReturnValue
from tfcompat._function.autograph.staging import condition, is_dense, is_staged, require_same_structure, tensor_like
from tfcompat._function.control.branch import cond
from tfcompat._function.graphs.untraced import Parts

State = tuple[Any, ...]


def if_stmt(
    test: Any,
    body: Callable[[], None],
    orelse: Callable[[], None],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    symbol_names: tuple[str, ...],
    nouts: int,
) -> None:
    """Runs `body` if `test`, else `orelse`.

    The state consists of the variables `symbol_names`, which the branches may assign. The first `nouts` are read later.
    """
    if not is_staged(test):
        _taken(test, body, orelse)
        return
    pred = condition(test, "if statement")
    before = get_state()
    ends: dict[str, State] = {}

    def branch(name: str, block: Callable[[], None]) -> State:
        set_state(before)
        block()
        ends[name] = with_tensors(get_state()[:nouts])
        _require_initialised(ends[name], symbol_names, name)
        if len(ends) == 2:
            for symbol, main, other in zip(symbol_names, ends["main"], ends["else"], strict=False):
                _require_alike(symbol, main, other)
        return ends[name]

    chosen = cond(pred, lambda: branch("main", body), lambda: branch("else", orelse))
    set_state((*chosen, *before[nouts:]))


def _taken(test: Any, main: Callable[[], Any], other: Callable[[], Any]) -> Any:
    """The result of the branch that is taken, which runs as Python."""
    if not is_dense(test):
        return main() if test else other()
    parts = Parts()
    with parts.part("main" if test else "else"):
        return main() if test else other()


def if_exp(test: Any, if_true: Callable[[], Any], if_false: Callable[[], Any], expr_repr: str) -> Any:
    """`if_true()` if `test`, else `if_false()`. `expr_repr` is the expression's text for messages."""
    if not is_staged(test):
        return _taken(test, if_true, if_false)
    values: dict[str, Any] = {}

    def branch(name: str, expression: Callable[[], Any]) -> Any:
        values[name] = with_tensors(expression())
        if len(values) == 2:
            _require_alike_leaf(expr_repr, values["main"], values["else"])
        return values[name]

    return cond(test, lambda: branch("main", if_true), lambda: branch("else", if_false))


def _require_initialised(state: Sequence[Any], names: Sequence[str], branch: str) -> None:
    for name, value in zip(names, state, strict=False):
        if isinstance(value, Undefined):
            raise ValueError(f"'{name}' must also be initialized in the {branch} branch")
        if isinstance(value, UndefinedReturnValue):
            raise ValueError(f"the {branch} branch must also have a return statement.")


def _require_alike(name: str, main: Any, other: Any) -> None:
    require_same_structure(main, other, f"'{name}' must have the same nested structure in the main and else branches:")
    for one, another in zip(nest.flatten(main), nest.flatten(other), strict=True):
        _require_alike_leaf(name, one, another)


def _require_alike_leaf(name: str, main: Any, other: Any) -> None:
    """Raises ValueError or TypeError unless the branches' values of `name`, `main` and `other`, are compatible."""
    for value, branch in ((main, "main"), (other, "else")):
        if value is None:
            raise ValueError(f"'{name}' is None at the end of the {branch} branch.")
    one, another = tensor_like(main), tensor_like(other)
    if one is not None and another is not None and one.dtype is not another.dtype:
        raise TypeError(
            f"'{name}' has dtype {one.dtype.name} in the main branch, but dtype {another.dtype.name} in the else branch"
        )
