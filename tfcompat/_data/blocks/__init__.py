"""Blocks of elements: columns of components, the structures of elements, and their specs."""
