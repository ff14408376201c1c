"""Where elements stand: shapes, indices, parts and their assembly."""
