"""Small training scripts of many kinds print the same output as under TensorFlow 2.21 (the .txt file next to each)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.printed import assert_printed_alike, printed_by

SCRIPTS = Path(__file__).parent / "scripts"
# These take long, so they run in `make thorough`.
LONG = {"character_model", "convolution", "decorated_gan", "keras_backup", "keras_text", "maml", "neural_ode"}
LONG |= {"oscillator", "restored_before_built", "robust_regression", "staged_loops", "triplets"}
LONG |= {"autoencoder", "flow", "graph_gradients", "gru", "keras_custom_loop", "multi_task", "pruning"}
LONG |= {"residual_network", "sharpness", "quantization_aware", "keras_fit", "word_vectors", "decorated_schedule"}
LONG |= {"decorated_method", "policy_gradient", "averaged_weights", "gaussian_process", "graph_network"}


def marked(name):
    return pytest.param(name, marks=pytest.mark.thorough) if name in LONG else name


# `__array__` of Keras' variables has no argument `copy`, for which NumPy 2 asks.
@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
@pytest.mark.parametrize("name", [marked(name) for name in sorted(path.stem for path in SCRIPTS.glob("*.py"))])
def test_script_prints_what_it_prints_under_tensorflow(name, monkeypatch):
    printed = printed_by(SCRIPTS / f"{name}.py", monkeypatch)
    assert_printed_alike(printed, (SCRIPTS / f"{name}.txt").read_text())
