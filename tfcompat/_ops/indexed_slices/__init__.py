"""Rows of a tensor with their numbers: the gradient of what was only gathered from."""
