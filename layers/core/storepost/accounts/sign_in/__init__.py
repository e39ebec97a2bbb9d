"""Signing up, signing in and out, and choosing a new password (docs/interface.md, section 3)."""
