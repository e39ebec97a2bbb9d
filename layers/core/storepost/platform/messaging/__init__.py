"""SQS: what leaves a transaction by way of the outbox, and the queues it goes to."""
