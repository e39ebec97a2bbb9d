"""One shop's story, told as requests: each operation's examples are taken from it."""
