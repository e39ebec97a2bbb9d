"""What an operator does to a deployed stack."""
