"""Numbers that are rounded to few levels and stay floating."""
