"""What stores bring in bulk: each import, and how a store's imports take turns."""
