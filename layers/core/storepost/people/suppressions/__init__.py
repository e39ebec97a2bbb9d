"""Suppressed addresses as they are stored, and how profiles know of them."""
