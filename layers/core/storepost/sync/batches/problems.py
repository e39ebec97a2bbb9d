"""What can be wrong with a batch as a whole."""

from storepost.values.problems import TooManyRequests


class BatchBacklog(TooManyRequests):
    """At most 100 batches of a store wait for their turn."""

    code = "batch_backlog"
    title = "Too many batches wait already"
    remedy = "Wait as long as `Retry-After` says. At most 100 batches of a store may wait."
