"""The migrations that there are, and what the worker does for a message of one."""
