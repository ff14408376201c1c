"""Datasets as the engine knows them, those that take no functions of elements, and the cursors that read them."""
