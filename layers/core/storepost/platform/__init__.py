"""What every group stands on: the table, queues, jobs, fetching, postings and budgets."""
