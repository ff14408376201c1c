"""Checkpoints: the state of objects in files."""
