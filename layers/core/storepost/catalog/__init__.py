"""Products, merged field by field from their sources, and the sources' priorities."""
