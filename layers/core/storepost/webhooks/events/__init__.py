"""The events that follow from commits, and what their messages say."""
