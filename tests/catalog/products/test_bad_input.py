"""Reads of products and of priorities with invalid parameters."""
