"""Budgets of requests: the bucket against a plain model, its rows, and budgets of a day."""
