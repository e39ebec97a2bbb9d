"""Signing up, signing in and out, and choosing a new password (operations.md, section 3)."""
