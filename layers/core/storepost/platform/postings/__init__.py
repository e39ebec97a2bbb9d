"""Postings: by which words something is found, whatever it is.

entries     what of something is searched, and the postings that this makes
repository  their rows
finding     what a query finds of one kind, in its order
listing     what a list's `q` finds: all of it
"""
