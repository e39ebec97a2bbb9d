"""Products of the stores: what each source says of them, and how that is resolved."""
