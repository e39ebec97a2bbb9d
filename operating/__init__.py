"""What an operator does to a deployed stack from a machine of their own (docs/operating.md)."""
