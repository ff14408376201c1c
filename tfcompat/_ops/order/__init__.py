"""Order: sorting, ranking, searching, and the nearest numbers that are in order."""
