"""What AWS does between the functions: it carries events to their readers."""
