"""Feeds as files."""
