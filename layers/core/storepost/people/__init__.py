"""Profiles, customers, their events, and their marketing consent."""
