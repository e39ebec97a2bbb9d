"""Deletes workspaces: one transaction makes them unreachable, a worker removes them."""
