"""Evaluates jaxprs on the host with NumPy, so that what runs once does not wait for XLA's compiler."""
