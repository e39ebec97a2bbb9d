"""Data that stores send: batches, webhooks, and pulls from a shop."""
