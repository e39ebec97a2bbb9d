"""Stores that are connected to a workspace, and the links that lead there."""
