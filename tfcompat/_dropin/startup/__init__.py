"""A folder on the path of child processes: Python imports its module `sitecustomize` at the start."""
