"""Deleting workspaces."""
