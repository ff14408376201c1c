"""Dtypes, shapes, abstract values, and structures of Python containers."""
