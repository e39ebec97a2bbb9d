"""Bulk data of stores: each import, and how a store's imports take turns."""
