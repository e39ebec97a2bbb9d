"""Change proposals: a caller proposes a change of a definition, and a reviewer decides."""
