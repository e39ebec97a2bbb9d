"""Our own clients: made, checked, and used as the guide for newcomers says."""
