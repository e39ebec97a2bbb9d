"""Which events follow from which commits, and what is said of them."""
