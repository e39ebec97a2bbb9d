"""Moves the rows of merged profiles, after the merge itself."""
