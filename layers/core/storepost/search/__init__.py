"""Search over everything that people look for by its name, while they type.

entries    what of a row is searched, and the postings that this makes
sources    which rows are searched, and what of them
following  the stream's reader, which keeps the postings
finding    what a query finds of one kind, and in which order
showing    the results as people know them
"""
