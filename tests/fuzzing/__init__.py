"""Unforeseen requests to every operation, checked against the description.

Schemathesis generates requests from the interface's description, both allowed and forbidden ones,
and compares the answers with it. `make fuzz` runs it; `CASES` says how many requests.
"""
