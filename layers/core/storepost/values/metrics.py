"""What happened, counted: metrics of ours, as lines in the log that CloudWatch reads (EMF).

They have one dimension, the service: every further one is a metric of its own, and each costs.
What a count is about (operation, request, workspace) stands beside it in the same line, and can be
looked for in the log.
"""

from aws_lambda_powertools import Metrics
from aws_lambda_powertools.metrics import MetricUnit

_metrics = Metrics()


def count(name: str, number: float = 1) -> None:
    """Adds to a metric of the running invocation."""
    _metrics.add_metric(name=name, unit=MetricUnit.Count, value=number)


def flush(**about: str | None) -> None:
    """Writes what the invocation counted, if anything, with what it is about."""
    if not _metrics.metric_set:
        return
    for name, value in about.items():
        if value is not None:
            _metrics.add_metadata(key=name, value=value)
    _metrics.flush_metrics()
    # Where metrics are switched off, the former leaves them.
    _metrics.clear_metrics()
