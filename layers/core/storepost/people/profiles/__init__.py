"""Customer profiles: one per person, whatever ids the stores use."""
