"""Sequences of labels: CTC loss and decoding, recurrent cells, edit distance."""
