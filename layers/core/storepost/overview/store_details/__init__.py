"""A store in full: with the totals of its lists, its imports and its latest customer."""
