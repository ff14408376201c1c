"""Tests of input: formats of files and records."""
