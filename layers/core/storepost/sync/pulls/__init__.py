"""What a shop has, pulled by bulk operations: its customers, then its orders; or its products.

service      asking for a pull
exports      an operation at the shop: begun, looked at, its file fetched
spool        the file on disk: lines in any order joined to records, in flat memory
records      its lines read into what a chunk writes
reconciling  what the shop has no more, by what the whole file lacks
swept        the store's lists that are walked for that
running      the worker, which goes on wherever a run before it ended
dispatch     a message of the queue that pulls share with batches
"""
