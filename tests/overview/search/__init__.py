"""Search: what is found, in which order, and what that reads and writes."""
