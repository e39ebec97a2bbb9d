"""Every release can read all stored data, and write it without loss."""
