"""People, their sessions, and the tokens that name a caller."""
