"""Pulling what a store's platform holds of it."""
