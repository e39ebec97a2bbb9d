"""What is read across the others: search, a store's details, and the sales of products."""
