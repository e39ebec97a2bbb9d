"""The pages of `/_local/`: the local run's messages, rows, queues, clock and requests."""

PREFIX = "/_local"
PAGES = f"{PREFIX}/pages"
