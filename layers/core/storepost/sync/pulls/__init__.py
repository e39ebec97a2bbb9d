"""What a shop has, pulled by bulk operations: its customers, then its orders; or its products.

service           asking for a pull
exports           a bulk operation at the shop: started, polled, its file fetched
spool             the file on disk: lines in any order joined to records, in flat memory
records           its lines read into what a chunk writes
reconciling       deletes what the shop has no more, which is what a complete file lacks
reconciled_lists  the store's lists that are compared for that
running           the worker, which resumes wherever a run before it ended
dispatch          a message of the queue that pulls share with batches
"""
