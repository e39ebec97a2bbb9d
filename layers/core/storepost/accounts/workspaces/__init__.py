"""Workspaces and their memberships."""
