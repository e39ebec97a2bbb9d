"""Unsubscribes without an account: makes the link in an email, and follows it."""
