"""The pages of `/_local/`: what the local run sent and stores, and its requests."""

PREFIX = "/_local"
PAGES = f"{PREFIX}/pages"
