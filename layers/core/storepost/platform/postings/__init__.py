"""Postings: an index of words, by which entries of any kind are found.

entries     the parts of a row that are searched, and the postings that they make
repository  their rows
finding     what a query finds of one kind, in order of rank
listing     what a list's `q` finds: all of it
"""
