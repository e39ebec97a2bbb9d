"""What stores send: batches, webhooks, and what is pulled from a shop."""
