"""Values with rules of their own: each is checked on input and then relied on."""
