"""Customers as the stores know them, each part of one profile."""
