"""Does what AWS does between the functions: it delivers events to their readers."""
