"""Unsubscribing without an account: the link in an email, and what following it does."""
