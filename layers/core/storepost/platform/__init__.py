"""What all other groups build on: the table, queues, jobs, fetching, postings and budgets."""
