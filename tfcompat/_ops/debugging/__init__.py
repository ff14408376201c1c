"""Assertions about values and shapes, and what programs print."""
