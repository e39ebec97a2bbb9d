"""Suppressing addresses and lifting that again, and asking who may be written to."""
