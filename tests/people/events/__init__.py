"""What happened with people."""
