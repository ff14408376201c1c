"""Blocks: branches, conditions and bodies of loops, as functions of JAX, and their gradients."""
