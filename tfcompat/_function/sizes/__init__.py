"""Sizes and values that a function's program finds or expects, and traces for some sizes."""
