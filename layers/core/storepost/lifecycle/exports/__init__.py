"""Everything stored about one person, as one document."""
