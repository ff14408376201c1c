"""Many elements made few: along axes, as they come, by segments, by value."""
