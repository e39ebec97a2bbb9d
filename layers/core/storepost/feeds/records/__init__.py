"""Reads a feed's rows as products: columns to fields, text to values, and why one is skipped."""
