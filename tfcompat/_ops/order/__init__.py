"""Order: sorting, ranking, searching and isotonic regression."""
