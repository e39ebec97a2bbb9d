"""Connections to platforms: begun, approved by the shop, listed and ended."""
