"""The pages of `/_local/`: what the local run sent, holds and was asked."""

PREFIX = "/_local"
PAGES = f"{PREFIX}/pages"
