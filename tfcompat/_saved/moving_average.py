"""`tf.train.ExponentialMovingAverage`: averages of variables over the steps of a training."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from tfcompat._autodiff.suspension import init_scope
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import bfloat16, float16, float32, float64
from tfcompat._ops.elementwise.algebraic import minimum, multiply, subtract
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._state.scope import name_scope
from tfcompat._state.variable import Variable

_FLOATS = (float16, bfloat16, float32, float64)
# The variables of which there are averages, in the order of the first `apply`.
_averaged: dict[int, weakref.ref[Variable]] = {}


class ExponentialMovingAverage:
    """Averages of variables, in which earlier values decay: average -= (1 - decay) * (average - variable).

    With `num_updates`, a number or a variable that counts the steps, the decay is at most
    (1 + num_updates) / (10 + num_updates). `zero_debias` is for tensors in graphs: averages of variables start with
    the values of these.

    Dtypes: decay float32; variables float16, bfloat16, float32 and float64.
    Source: TF 2.21 `tf.train.ExponentialMovingAverage`.
    """

    def __init__(
        self, decay: Any, num_updates: Any = None, zero_debias: bool = False, name: str = "ExponentialMovingAverage"
    ) -> None:
        del zero_debias
        self._decay = decay
        self._count = num_updates
        self._name = name
        self._averages: dict[int, tuple[Variable, Variable]] = {}

    @property
    def name(self) -> str:
        """The last part of the names of the averages."""
        return self._name

    def apply(self, var_list: Sequence[Variable] | None = None) -> None:
        """Updates the averages of `var_list`. The first time an average gets the value of its variable.

        Without a list there is nothing to update: no collection holds the variables.

        Raises: TypeError for anything but variables, and for those of other dtypes.
        """
        given = [] if var_list is None else list(var_list)
        for variable in given:
            if not isinstance(variable, Variable):
                raise TypeError(
                    "tf.train.ExponentialMovingAverage does not support non-Variable tensors when eager execution is "
                    "enabled."
                )
            if variable.dtype not in _FLOATS:
                raise TypeError(f"The variables must be half, float, or double: {variable.name}")
        for variable in given:
            if variable._number not in self._averages:
                self._averages[variable._number] = variable, self._made(variable)
        rate = subtract(1.0, self._current_decay())
        for variable in given:
            _, average = self._averages[variable._number]
            average.assign_sub(multiply(subtract(average, variable), cast(rate, variable.dtype)))

    def _made(self, variable: Variable) -> Variable:
        with init_scope(), name_scope(""):
            average = Variable(variable.read_value(), trainable=False, name=self._joined(variable))
        _averaged.setdefault(variable._number, weakref.ref(variable))
        return average

    def _joined(self, variable: Variable) -> str:
        return f"{variable.name.removesuffix(':0')}/{self._name}"

    def _current_decay(self) -> Tensor:
        decay = convert_to_tensor(self._decay, float32)
        if self._count is None:
            return decay
        count = cast(self._count, float32)
        return minimum(decay, (1.0 + count) / (10.0 + count))

    def average(self, var: Any) -> Variable | None:
        """The variable that holds the average of the variable `var`; None if `apply` has not had it."""
        found = self._averages.get(var._number) if isinstance(var, Variable) else None
        return found and found[1]

    def average_name(self, var: Any) -> str:
        """The name of the average of the variable `var`, which may not exist yet."""
        average = self.average(var)
        return self._joined(var) if average is None else average.name.removesuffix(":0")

    def variables_to_restore(self, moving_avg_variables: Sequence[Variable] | None = None) -> dict[str, Variable]:
        """`moving_avg_variables` by the names of their averages, from which a checkpoint may restore them.

        None stands for the variables of which there are averages.
        """
        if moving_avg_variables is None:
            known = [reference() for reference in list(_averaged.values())]
            moving_avg_variables = [variable for variable in known if variable is not None]
        return {self.average_name(variable): variable for variable in moving_avg_variables}
