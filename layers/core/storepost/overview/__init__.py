"""Reads across the other packages: search, a store's details, and the sales of products."""
