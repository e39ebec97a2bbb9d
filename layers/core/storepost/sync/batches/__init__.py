"""A custom store's batches: many records in one request, worked through in the background."""
