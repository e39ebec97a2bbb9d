"""The sales of products, by day."""
