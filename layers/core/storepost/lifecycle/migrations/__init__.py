"""The migrations, and the worker for their messages."""
