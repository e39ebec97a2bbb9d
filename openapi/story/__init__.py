"""One shop's story as requests: each operation's examples are taken from it."""
