"""Deleting workspaces: out of reach in one transaction, then removed by a worker."""
