"""Erasing people: gone in one transaction, the rest removed by a worker."""
