"""Attempts to tell somebody else's server of something, made again later for three days."""
