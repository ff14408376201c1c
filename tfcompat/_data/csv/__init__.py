"""Datasets of CSV files."""
