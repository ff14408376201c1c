"""Functions of the elements of datasets: their traces, and how they are computed for elements."""
