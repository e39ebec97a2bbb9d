"""A custom store's batches: many records in one request, imported in the background."""
