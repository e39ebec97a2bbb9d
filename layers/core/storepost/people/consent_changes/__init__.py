"""Changes of consent: making them, their history, and their write-backs to stores."""
