"""Exports everything stored about one person as one document."""
