"""Search over everything that people look for by its name, while they type.

sources    which rows are searched, and what of them
following  the stream's reader, which keeps the postings
showing    the results as people know them
"""
