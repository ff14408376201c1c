"""Handlers of users that answer for TensorFlow's functions where arguments are composites: extension types, mostly."""
