"""SQS: messages that a transaction sends through the outbox, and their queues."""
