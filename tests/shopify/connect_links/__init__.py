"""Links by which a shop's workspace is chosen."""
