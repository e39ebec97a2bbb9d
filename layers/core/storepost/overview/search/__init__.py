"""Search over everything that people look for by its name, while they type.

sources    which rows are searched, and by which of their values
indexing   the stream's reader, which updates the postings
showing    the results for answers
"""
