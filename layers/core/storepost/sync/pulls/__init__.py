"""Pulls a shop's records by bulk operations: its customers, then its orders; or its products.

service           requests a pull
exports           a bulk operation at the shop: starts it, polls it, fetches its file
spool             the file on disk: joins lines in any order to records, in constant memory
records           the file's records, as chunks write them
reconciling       deletes records that the shop no longer has, as a complete file lacks them
reconciled_lists  the store's lists that are compared with the file
running           the worker, which resumes where an earlier run ended
dispatch          the dispatch of messages, as pulls and batches share a queue
"""
