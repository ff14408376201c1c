"""The default graph for programs that also run eagerly: its properties, and errors for everything unsupported."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from typing import Any, NoReturn
from weakref import WeakKeyDictionary

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.thread_state import Inherited
from tfcompat._core.tracing.trace import here
from tfcompat._dropin.refused import RefusedAttributeError
from tfcompat._first_version import collection
from tfcompat._function.graphs.graph import Graph as _Trace
from tfcompat._function.graphs.mode import inside_function
from tfcompat._random.seed import global_seed
from tfcompat._state.creator import current_creators
from tfcompat._state.scope import get_current_name_scope

_PROGRAM = "To read the program of a concrete function: `tf.function(f).get_concrete_function(...).stablehlo()`."
_EAGER = "There are no graphs to build: operations run as they are called, and tf.function traces one."
_SESSION = "There are no sessions: call the function, and read tensors by `numpy()`."
_WAYS_OUT = {
    **dict.fromkeys(("as_graph_def", "graph_def_versions", "version"), _PROGRAM),
    **dict.fromkeys(("as_graph_element", "get_operation_by_name", "get_tensor_by_name"), "Keep the tensor itself."),
    **dict.fromkeys(("as_default", "create_op", "finalize", "switch_to_thread_local"), _EAGER),
    **dict.fromkeys(("is_feedable", "is_fetchable", "prevent_feeding", "prevent_fetching"), _SESSION),
    **dict.fromkeys(("colocate_with", "container", "device"), "tf.device says where operations run."),
    "control_dependencies": "Operations run in the order of the program; tf.control_dependencies is the context.",
    "gradient_override_map": "tf.custom_gradient gives a function a gradient of its own.",
    "name_scope": "tf.name_scope names variables.",
}


class Graph:
    """The common base of the graphs of the eager program and of functions being traced.

    Unsupported attributes raise NotImplementedError; `hasattr` returns False for them.

    Source: TF 2.21 `tf.Graph`.
    """

    building_function = False
    finalized = False

    def __init__(self) -> None:
        self._names: dict[str, int] = {}

    @property
    def _variable_creator_stack(self) -> tuple[Any, ...]:
        """The creators of variables, for Keras 2: it makes slots later where a creator would get them."""
        return current_creators()

    @property
    def collections(self) -> list[Any]:
        """The keys of the collections; the same as `get_all_collection_keys()`."""
        return self.get_all_collection_keys()

    def get_all_collection_keys(self) -> list[Any]:
        """The keys of the collections that are not empty."""
        return collection.keys()

    def add_to_collection(self, name: Any, value: Any) -> None:
        """As `tf.compat.v1.add_to_collection`."""
        collection.add_to_collection(name, value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """As `tf.compat.v1.add_to_collections`."""
        collection.add_to_collections(names, value)

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """As `tf.compat.v1.get_collection`."""
        return collection.get_collection(name, scope)

    def get_collection_ref(self, name: Any) -> list[Any]:
        """As `tf.compat.v1.get_collection_ref`."""
        return collection.get_collection_ref(name)

    def clear_collection(self, name: Any) -> None:
        """Empties the collection `name`."""
        collection.clear_collection(name)

    def _get_control_flow_context(self) -> None:
        """None: no graph is marked for control flow of TensorFlow 1, or for compilation."""

    def get_name_scope(self) -> str:
        """The open name scope; empty in eager mode, where name scopes do not belong to the graph."""
        return get_current_name_scope() if self.building_function else ""

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """`name` in the open scope, with a number appended if it was used before, ignoring case."""
        wanted = "/".join(filter(None, (self.get_name_scope(), name)))
        number = self._names.get(wanted.lower(), 0)
        found = wanted
        while found.lower() in self._names:
            found, number = f"{wanted}_{max(number, 1)}", max(number, 1) + 1
        if mark_as_used:
            self._names[wanted.lower()] = max(number, 1)
            self._names.setdefault(found.lower(), 1)
        return found

    def __getattr__(self, name: str) -> NoReturn:
        if name not in _WAYS_OUT:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        raise RefusedAttributeError(f"tf.Graph.{name} is not supported. {_WAYS_OUT[name]}")


class Operations:
    """The operations of a function's graph: only the latest is there, and it is None, as `tf.no_op()` is."""

    def __getitem__(self, index: int) -> None:
        if index != -1:
            raise NotImplementedError(f"tf.Graph.get_operations: only its last item is supported. {_PROGRAM}")

    def __iter__(self) -> NoReturn:
        raise NotImplementedError(f"tf.Graph.get_operations: only its last item is supported. {_PROGRAM}")

    def __len__(self) -> NoReturn:
        raise NotImplementedError(f"tf.Graph.get_operations: only its last item is supported. {_PROGRAM}")


class EagerGraph(Graph):
    """The graph of an eager program: it contains no operations."""

    seed = None
    version = 0

    @property
    def operations(self) -> Any:
        """The same as `get_operations()`."""
        return self.get_operations()

    def get_operations(self) -> Any:
        """The operations in the graph: none. In a function that runs untraced, as those of a traced one."""
        return [] if here.untraced is None else Operations()

    @property
    def as_default(self) -> Any:
        """In a function that runs untraced, a function that returns a context, as of the graph of a traced one.

        Raises: NotImplementedError elsewhere, when it is read.
        """
        return self.__getattr__("as_default") if here.untraced is None else lambda: nullcontext(self)

    def finalize(self) -> None:
        """Forbids further operations in the graph; eager operations are not affected."""
        self.finalized = True


class FunctionGraph(Graph):
    """The graph of a function that is being traced.

    Attributes:
      name: the name of the function.
      outer_graph: the default graph when tracing began.
    """

    building_function = True

    def __init__(self, name: str, outer_graph: Graph) -> None:
        super().__init__()
        self.name = name
        self.outer_graph = outer_graph

    @property
    def seed(self) -> int | None:
        """The global seed."""
        return global_seed()

    @property
    def operations(self) -> Operations:
        """The same as `get_operations()`."""
        return self.get_operations()

    def get_operations(self) -> Operations:
        """The operations in the graph, of which only the latest is known. Operations run in order."""
        return Operations()

    @contextmanager
    def as_default(self) -> Generator[FunctionGraph]:
        """A context in which this is the default graph, as it already is.

        Raises: NotImplementedError unless this graph's function is being traced.
        """
        if get_default_graph() is not self:
            raise NotImplementedError(f"tf.Graph.as_default is not supported once the function is traced. {_EAGER}")
        yield self


class _Graphs(Inherited):
    """The default graphs of a thread."""

    def __init__(self) -> None:
        self.eager = EagerGraph()
        self.of_functions: WeakKeyDictionary[Any, FunctionGraph] = WeakKeyDictionary()


_graphs = _Graphs()


def get_default_graph() -> Any:
    """The graph of the function that is being traced, or a substitute for the graph of the eager program.

    It has collections, names and seeds; unsupported attributes raise NotImplementedError and name an alternative.

    Source: TF 2.21 `tf.compat.v1.get_default_graph`.
    """
    return _graph_of(here.graph)


def _graph_of(trace: Any) -> Graph:
    if trace is None or not trace.is_symbolic:
        return _graphs.eager
    found = _graphs.of_functions.get(trace)
    if found is None:
        found = _graphs.of_functions[trace] = FunctionGraph(trace.label, _graph_of(trace.outer))
    return found


def _graph_around(self: Tensor) -> Graph:
    return get_default_graph() if inside_function() else self.__getattr__("graph")


Tensor._graph_around = _graph_around  # a method of tensors
_Trace.view = _graph_of  # pyright: ignore[reportAttributeAccessIssue]  # a method of the trace


def reset_default_graph() -> None:
    """Empties all collections, and replaces the eager program's graph.

    Source: TF 2.21 `tf.compat.v1.reset_default_graph`.
    """
    collection.clear()
    _graphs.eager = EagerGraph()
