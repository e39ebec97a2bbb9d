"""Feeds as they are previewed, checked and imported: fetched, read, matched, written."""
