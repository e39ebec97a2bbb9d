"""Customers as the stores know them; each belongs to one profile."""
