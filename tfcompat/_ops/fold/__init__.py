"""Reductions: along axes, cumulative, by segment, by value."""
