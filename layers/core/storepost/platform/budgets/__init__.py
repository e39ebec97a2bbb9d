"""How many requests a caller and a workspace may make, counted across containers."""
