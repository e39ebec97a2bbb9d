"""The values of a feed's rows."""
