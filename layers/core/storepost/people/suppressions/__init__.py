"""Rows of suppressed addresses, and the copies in profiles."""
