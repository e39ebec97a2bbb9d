"""Feeds: their files, their values, their imports."""
