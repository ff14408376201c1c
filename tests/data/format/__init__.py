"""Tests of the formats of files and records."""
