"""Sequences of labels: how likely they are, what they spell, how far they are apart."""
