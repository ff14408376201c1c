"""Control flow: ops that call Python functions once, or as often as values determine."""
