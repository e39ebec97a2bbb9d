"""Everything held of one person, as one document."""
