"""Loads: many rows at once, without transactions, for workers that write records by the thousand.

A load writes its rows first, 25 a call and 16 calls in flight (`row_writes`), in stages whose order
leaves no dangling reference: a reader of a row must find the rows that it refers to. It then puts
them into lists by pages (`counted_tree.loading.Load`), together with its own row, which records its
progress. Rows are made by `RowSerializer`, without a PynamoDB object for each.

Everything may happen twice, as a run may be killed anywhere and a response may be lost. So keys and
content of rows must follow from the loaded data, and each row that has to be distinguished from
another writer's names its load.
"""
