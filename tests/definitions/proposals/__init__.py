"""Definitions, their schemas, and proposals to change them."""
