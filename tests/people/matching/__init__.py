"""People and what makes several profiles one."""
