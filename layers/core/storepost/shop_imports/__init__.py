"""What a shop has, pulled by bulk operations: its customers, then its orders.

service   asking for a pull
exports   an operation at the shop: begun, looked at, its file fetched
spool     the file on disk: lines in any order joined to records, in flat memory
records   its lines read into what a chunk writes
running   the worker, which goes on wherever a run before it ended
"""
