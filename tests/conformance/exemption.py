"""What the conformance tests leave out, each with its reason."""

from __future__ import annotations

# Public functions that are no ops, or whose tests stand elsewhere.
EXEMPT: dict[str, str] = {
    "control_dependencies": "tests/state/test_execution.py",
    "custom_gradient": "tests/autodiff/test_custom_gradient.py",
    "device": "tests/dropin/test_device.py",
    "get_current_name_scope": "tests/state/test_scope.py",
    "get_logger": "tests/dropin/test_logger.py",
    "grad_pass_through": "tests/autodiff/test_custom_gradient.py",
    "group": "tests/state/test_execution.py",
    "no_op": "tests/state/test_execution.py",
    "print": "tests/ops/test_printing.py",
    "recompute_grad": "tests/autodiff/test_recompute.py",
}

# Rows of the list of cases whose op is not there yet.
PLANNED: dict[str, str] = {}

# Callables whose parameters differ from TensorFlow's.
SIGNATURE: dict[str, str] = {}

# Public names at the top level that TensorFlow does not have.
OWN: dict[str, str] = {
    "config": "holds our settings beside TensorFlow's functions: tests/dropin/test_device.py",
    "counted": "what the recorder did in a context",
    "counters": "what the recorder did",
    "install_as_tensorflow": "tests/dropin/test_alias.py",
    "listing_of": "a trace as a readable program",
    "sync": "computes what is pending",
}
