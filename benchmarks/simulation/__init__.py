"""What AWS does in between, in a time that is counted and not waited for."""
