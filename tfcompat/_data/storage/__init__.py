"""Datasets in files: those that are saved, kept on disk, or made of records."""
