"""Links that a shop's approval leads to: whoever approved chooses the shop's workspace there."""
