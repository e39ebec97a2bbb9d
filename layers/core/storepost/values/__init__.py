"""Values with rules of their own: each is checked where it comes in and then relied on."""
