"""Customer profiles: one of a person, whatever the stores call them."""
