"""Links after a shop's approval: the person who approved chooses the shop's workspace there."""
