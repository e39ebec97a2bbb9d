"""Orders of the stores."""
