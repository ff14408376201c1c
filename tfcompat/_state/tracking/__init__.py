"""Tracking: which objects an object depends on, by name, as checkpoints see it."""
