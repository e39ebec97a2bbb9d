"""A store whole: with what its lists hold."""
