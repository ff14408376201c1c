"""Shapes, indexing, slicing, joining and rearranging of tensors."""
