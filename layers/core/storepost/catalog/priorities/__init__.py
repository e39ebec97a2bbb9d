"""Changes of a store's field priority: previewed, then applied, by a worker."""
