"""The messages of a SavedModel, the attributes of its nodes, and its fingerprint."""
