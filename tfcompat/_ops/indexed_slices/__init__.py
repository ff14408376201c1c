"""Rows of a tensor with their indices: the gradient of tensors that were only gathered from."""
