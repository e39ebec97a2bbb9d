"""Products of the stores: what each source says of them, and what so becomes of them."""
