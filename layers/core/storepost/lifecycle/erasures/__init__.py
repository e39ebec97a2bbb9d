"""Erases people: one transaction makes them unreachable, a worker removes the rest."""
