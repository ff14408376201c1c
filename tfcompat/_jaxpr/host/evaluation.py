"""Evaluates a jaxpr on the host with NumPy.

What runs once or a few times costs far less this way than its compilation by XLA. Results are those of XLA on the CPU
except for the last digits of floats, and for denormal numbers, which XLA reads and writes as 0.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import jax
import numpy as np

from tfcompat._jaxpr.found_size import found_by
from tfcompat._jaxpr.host.draft import Draft, has_own_kernel
from tfcompat._jaxpr.host.flat import Flat
from tfcompat._jaxpr.host.kernels import KERNELS
from tfcompat._jaxpr.host.memory import keep_freed_memory
from tfcompat._jaxpr.parameter import called, without_consts
from tfcompat._jaxpr.primitive import equations, inner, name_of
from tfcompat._jaxpr.size import is_open, symbols_of

# As many programs for different sizes are kept, if no other number is given.
_MOST_PREPARED = 16

Array = np.ndarray[Any, Any]


class NoKernel(Exception):
    """A jaxpr cannot be evaluated on the host; the message names the primitive or type without a kernel."""


class HostProgram:
    """A jaxpr that can be called with arrays of NumPy.

    Attributes:
      symbols: the names of the sizes that are symbols.
    """

    def __init__(self, closed: Any, most_prepared: int = _MOST_PREPARED) -> None:
        """Takes a closed jaxpr, which is kept prepared for `most_prepared` sizes.

        Raises: NoKernel if the host cannot evaluate it.
        """
        _require_kernels(closed)
        keep_freed_memory()
        self._most_prepared = most_prepared
        self.symbols = tuple(sorted(symbols_of(_open_sizes(closed))))
        self._draft = Draft(closed, self.symbols)
        self._prepared: OrderedDict[tuple[int, ...], Flat] = OrderedDict()

    def __call__(self, *arrays: Any, sizes: Mapping[str, int] | None = None) -> list[Array]:
        """The outputs for arrays or scalars of NumPy; `sizes` are the values of the symbols.

        The outputs have the shapes and dtypes of the jaxpr, and share no memory with an input or with each other.
        """
        flat = self._for(sizes)
        inputs = list(map(np.asarray, arrays))
        with np.errstate(all="ignore"):
            found = flat(inputs)
        taken = {id(_owner(array)) for array in (*inputs, *flat.constants)}
        outputs: list[Array] = []
        for value, (shape, dtype) in zip(found, flat.outputs, strict=True):
            array = np.asarray(value, dtype)
            if array.shape != shape:
                array = np.broadcast_to(array, shape)
            owner = _owner(array)
            is_own = isinstance(owner, np.ndarray) and owner.nbytes == array.nbytes and id(owner) not in taken
            if not is_own or not array.flags.c_contiguous:
                owner = array = np.array(array, order="C")
            taken.add(id(owner))
            outputs.append(array)
        return outputs

    @property
    def work(self) -> float:
        """An estimate of a call's nanoseconds; a loop that runs until a condition fails counts as one iteration."""
        return self.work_for({})

    def work_for(self, sizes: Mapping[str, int]) -> float:
        """An estimate of a call's nanoseconds for the values of the symbols."""
        return self._for(sizes).work

    def _for(self, values: Mapping[str, int] | None) -> Flat:
        """The program for the values of the symbols. Raises KeyError if one has no value."""
        given = values or {}
        key = tuple([int(given[name]) for name in self.symbols])
        flat = self._prepared.get(key)
        if flat is None:
            self._prepared[key] = flat = Flat(self._draft, key)
            if len(self._prepared) > self._most_prepared:
                self._prepared.popitem(last=False)
        return flat


def _owner(array: Any) -> Any:
    """The array whose memory `array` shows; or what else lends it."""
    while isinstance(array, np.ndarray) and array.base is not None:
        array = array.base
    return array


def _require_kernels(jaxpr: Any) -> None:
    for equation in without_consts(jaxpr)[0].eqns:
        if has_own_kernel(equation):
            continue
        name, body = name_of(equation), called(equation)
        if (body is None and name not in KERNELS) or found_by(equation) is not None:
            raise NoKernel(name)
        for atom in (*equation.invars, *equation.outvars):
            if not isinstance(getattr(atom.aval, "dtype", None), np.dtype):
                raise NoKernel(f"{name} of {atom.aval}")
        for one in inner(equation) if body is None else [body]:
            _require_kernels(one)


def _open_sizes(closed: Any) -> list[Any]:
    """The sizes with symbols in the shapes of all values and in the parameters of primitives, each object once."""
    jaxpr, _ = without_consts(closed)
    found = list(equations(jaxpr))
    atoms = [*jaxpr.invars, *(atom for equation in found for atom in (*equation.invars, *equation.outvars))]
    atoms += [atom for equation in found for body in inner(equation) for atom in without_consts(body)[0].invars]
    sizes = [size for atom in atoms for size in atom.aval.shape if type(size) is not int]
    for equation in found:
        sizes += filter(is_open, jax.tree.leaves(list(equation.params.values()), is_leaf=is_open))
    return list({id(size): size for size in sizes if is_open(size)}.values())
