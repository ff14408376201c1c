"""Runs of a function's body: launches of its program, the variables that it creates, its random draws."""
