"""Attempts to send something to another server, retried for three days."""
