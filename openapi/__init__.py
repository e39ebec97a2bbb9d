"""What the code says of itself, written down: the interface and the problems. Not deployed."""
