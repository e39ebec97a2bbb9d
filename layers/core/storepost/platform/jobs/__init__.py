"""How a message, a stream's record or a schedule comes in."""
