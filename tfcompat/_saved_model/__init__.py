"""`tf.saved_model`: directories with the functions, the variables and the files of an object.

Its subpackages, from the bottom up; imports between them point down:

- `messages`: the messages in the files
- `programs`: functions as programs
- `kernels`: functions that are read
- `nodes`: functions that are written
- `objects`: objects and signatures
- `directories`: SavedModels as users know them
"""
