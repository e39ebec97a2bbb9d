"""Loads: many rows at once, without transactions, for workers that write records by the thousand.

A load writes its rows first, 25 a call and 16 calls in flight (`row_writes`), in stages in an order
in which nothing dangles: whoever reads a row must find what that leads to. It then puts them into
lists by pages (`counted_tree.loading.Load`), together with its own row, which says how far it is.
Rows are made by `RowSerializer`, without an object of PynamoDB for each.

All of it may happen twice, as a run may be killed anywhere and an answer may get lost. So keys and
content of rows must follow from what is loaded, and each row that has to be distinguished from one
of somebody else says of which load it is.
"""
