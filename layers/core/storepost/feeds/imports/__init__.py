"""Previews, checks and imports feeds: fetches, reads, matches and writes them."""
