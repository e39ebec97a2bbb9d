"""Priorities of sources."""
