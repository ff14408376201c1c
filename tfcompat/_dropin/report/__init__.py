"""The report at the end of a program: `python -m tfcompat --report`."""
