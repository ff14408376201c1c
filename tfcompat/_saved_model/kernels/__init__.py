"""Functions of graphs that are read: the order of their nodes, and the kernels that compute them."""
