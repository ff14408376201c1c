"""Functions that are traced: `tf.function`.

Its subpackages, from the bottom up; imports between them point down:

- `arguments`: the arguments of calls, and the keys of traces
- `graphs`: traces
- `sizes`: sizes and values that programs find
- `tensor_array`, `block`, `control`: arrays of tensors; control flow
- `running`: runs of traces
- `rows`: functions of the rows of tensors
- `autograph`: Python's control flow
- `functions`: decorated and concrete functions
"""
