"""Ops: functions on JAX arrays, the ops derived from them, and the shapes and sizes of their results."""
