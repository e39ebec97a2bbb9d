"""Which events follow from which commits, and what their messages say."""
