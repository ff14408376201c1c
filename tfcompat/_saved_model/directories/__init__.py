"""SavedModels in directories: written, read whole, and read in part."""
