"""Datasets and iterators as users know them."""
