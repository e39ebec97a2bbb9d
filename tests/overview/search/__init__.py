"""Search: its results, their order, and what it reads and writes."""
