"""Input: files and their formats."""
