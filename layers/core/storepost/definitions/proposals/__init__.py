"""Change proposals: who may not change a definition proposes, and a reviewer decides."""
