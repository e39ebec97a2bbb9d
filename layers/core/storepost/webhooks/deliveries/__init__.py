"""Deliveries: one event on its way to one endpoint, its attempts and their results."""
