"""Graphs: the traces of functions, the calls of Python functions in them, and their copies in other traces."""
