"""Migrations of a workspace, while it is in use."""
