"""Whether a description would break a client that was made from an older one."""
