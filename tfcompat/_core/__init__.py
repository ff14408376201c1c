"""Tensors, and the recorder of ops.

Its subpackages, from the bottom up; imports between them point down:

- `system`: the process around the recorder
- `types`: dtypes, shapes, abstract values
- `operation`: ops
- `structure`: the tree of recorded steps, and tensors
- `programs`: the computation of recorded steps
- `tracing`: the trace, which records them and has them computed
- `calls`: from the call of a public function to a recorded step
"""
