"""TensorFlow Lite's converter reads SavedModels."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

import tfcompat as tf
from tests.fuzz.oracle import ROOT, interpreter
from tests.saved_model.test_exchange import NEEDS_TENSORFLOW
from tfcompat._saved_model.directories.reading import parse_saved_model

SCRIPT = "tests/saved_model/lite_models.py"


def run(*command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert not done.returncode, done.stderr
    return done.stdout


@pytest.mark.thorough
@NEEDS_TENSORFLOW
def test_converted_models_compute_the_same(tmp_path):
    run(sys.executable, "-m", "tfcompat", SCRIPT, "save", tmp_path)
    errors, in_integers = json.loads(run(interpreter(), SCRIPT, "convert", tmp_path))
    assert len(errors) == len(list(tmp_path.iterdir()))
    assert {name: error for name, error in errors.items() if not error < 1e-4} == {}
    assert max(in_integers.values()) < 0.1


def test_nodes_of_variables_have_their_names_in_sessions(tmp_path):
    """By these the converter finds their values; the names of nodes may contain few characters."""
    module = tf.Module()
    module.variables_of_it = [tf.Variable(1.0, name=name) for name in ("weight", "a b:c", "saver_read", "weight")]
    tf.saved_model.save(module, str(tmp_path))
    (graph,) = parse_saved_model(str(tmp_path)).meta_graphs
    nodes = [node for node in graph.graph_def.node if node.op == "VarHandleOp"]
    names = [node.name for node in nodes]
    assert names == [node.attr["shared_name"].s.decode() for node in nodes]
    assert len({node.name for node in graph.graph_def.node}) == len(graph.graph_def.node)
    assert [re.sub(r"\d+$", "", name) for name in names] == [
        *("variables/weight_", "variables/a_b_c_", "variables/saver_read_", "variables/weight_")
    ]
