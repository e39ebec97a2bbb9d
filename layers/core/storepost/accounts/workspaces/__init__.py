"""Workspaces and who belongs to them."""
