"""Budgets of requests: the bucket against a plain model, its rows, and the few that wait."""
