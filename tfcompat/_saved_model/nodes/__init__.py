"""Functions as messages: the nodes of programs, of their gradients, and of kernels of TensorFlow."""
