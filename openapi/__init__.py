"""Generates the descriptions of the interface and the problems from the code. Not deployed."""
