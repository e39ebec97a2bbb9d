"""Simulates AWS between the functions, in simulated time."""
