"""Changing somebody's consent, the history of it, and telling the stores that know the person."""
