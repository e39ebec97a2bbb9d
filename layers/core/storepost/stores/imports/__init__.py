"""What stores send in bulk: each import, and how a store's imports take turns."""
