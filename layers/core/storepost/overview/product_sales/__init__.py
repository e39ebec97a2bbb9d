"""What orders sold of products, by day."""
