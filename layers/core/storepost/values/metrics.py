"""Counts of events: our own metrics, as log lines that CloudWatch reads (EMF).

They have one dimension, the service: each further dimension makes further metrics, and each costs.
The subject of a count (operation, request, workspace) is in the same line, and can be searched in
the log.
"""

from collections import Counter
from threading import Lock

from aws_lambda_powertools import Metrics
from aws_lambda_powertools.metrics import MetricUnit

_metrics = Metrics()
_counted: Counter[str] = Counter()
"""Sums of the running invocation.

Powertools keeps each value, at most 100 of a metric. Then it writes them at once, without their
subject, and requires a namespace even if metrics are disabled.
"""

_flushing = Lock()
"""The local run has functions in threads of one process; on Lambda only one thread takes it."""


def count(name: str, number: int = 1) -> None:
    """Adds to a metric of the running invocation."""
    _counted[name] += number


def flush(**about: str | None) -> None:
    """Writes the counts of the invocation, if any, with their subject."""
    with _flushing:
        counted = dict(_counted)
        _counted.clear()
        if not counted:
            return
        for name, number in counted.items():
            _metrics.add_metric(name=name, unit=MetricUnit.Count, value=number)
        for key, value in about.items():
            if value is not None:
                _metrics.add_metadata(key=key, value=value)
        _metrics.flush_metrics()
        # If metrics are disabled, the line before keeps them.
        _metrics.clear_metrics()
