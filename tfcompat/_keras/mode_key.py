"""The names of training, evaluation and prediction in saved models of Keras 2 and of estimators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


class KerasModeKeys:
    """The names in Keras. Source: TF 2.21, `tensorflow.python.saved_model.model_utils.mode_keys.KerasModeKeys`."""

    TRAIN = "train"
    TEST = "test"
    PREDICT = "predict"


class EstimatorModeKeys:
    """The names in estimators.

    Source: TF 2.21, `tensorflow.python.saved_model.model_utils.mode_keys.EstimatorModeKeys`.
    """

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


_KEYS = {
    **dict.fromkeys((KerasModeKeys.TRAIN, EstimatorModeKeys.TRAIN), KerasModeKeys.TRAIN),
    **dict.fromkeys((KerasModeKeys.TEST, EstimatorModeKeys.EVAL), KerasModeKeys.TEST),
    **dict.fromkeys((KerasModeKeys.PREDICT, EstimatorModeKeys.PREDICT), KerasModeKeys.PREDICT),
}


class ModeKeyMap(Mapping[str, Any]):
    """Values by mode, where "infer" and "predict", and "eval" and "test", are the same mode.

    Raises: ValueError for another mode, or for two values of a mode.
    Source: TF 2.21, `tensorflow.python.saved_model.model_utils.mode_keys.ModeKeyMap`.
    """

    def __init__(self, **kwargs: Any) -> None:
        self._given = list(kwargs)
        self._values: dict[str, Any] = {}
        for mode, value in kwargs.items():
            key = _key_of(mode)
            if key in self._values:
                raise ValueError(f"Error creating ModeKeyMap. Multiple keys/values found for {key} mode.")
            self._values[key] = value

    def __getitem__(self, key: str) -> Any:
        return self._values[_key_of(key)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)


def _key_of(mode: str) -> str:
    if mode not in _KEYS:
        raise ValueError(f"Invalid mode key: {mode}.")
    return _KEYS[mode]
