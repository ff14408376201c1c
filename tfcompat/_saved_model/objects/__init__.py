"""The objects of a SavedModel, and its signatures: written as messages, and made from them."""
