"""Receives requests: one resolver for every group, and the types that its routes name."""
