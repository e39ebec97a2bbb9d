"""The sales of products: what a request shows, and how the worker counts orders."""
