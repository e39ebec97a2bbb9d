"""Profiles, customers, their events, and what they consent to."""
