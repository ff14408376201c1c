"""Datasets of functions of elements, and of elements in random order."""
