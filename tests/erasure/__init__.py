"""Erasing people."""
