"""Assertions about values and shapes, and printing from programs."""
