"""What nobody would think of asking, asked of every operation, and held to the description.

Schemathesis makes requests from the interface's description, those that it allows and those that
it forbids, and compares the answers with it. `make fuzz` runs it; `CASES` says how many requests.
"""
