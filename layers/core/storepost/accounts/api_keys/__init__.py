"""A workspace's API keys: made, rotated and revoked by people, used by programs."""
