"""What can be wrong with a batch as a whole."""

from storepost.values.problems import TooManyRequests


class BatchBacklog(TooManyRequests):
    """At most 100 batches of a store wait for their turn."""

    code = "batch_backlog"
    title = "Too many batches wait already"
    remedy = "Wait as `Retry-After` says; a batch leaves the queue when its turn comes."
