"""What is stored can be read by every release, and written by each without a loss."""
