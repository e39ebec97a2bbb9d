"""Loads: rows without transactions."""
