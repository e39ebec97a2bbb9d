"""What happened, counted: metrics of ours, as lines in the log that CloudWatch reads (EMF).

They have one dimension, the service: every further one is a metric of its own, and each costs.
What a count is about (operation, request, workspace) stands beside it in the same line, and can be
looked for in the log.
"""

from collections import Counter
from threading import Lock

from aws_lambda_powertools import Metrics
from aws_lambda_powertools.metrics import MetricUnit

_metrics = Metrics()
_counted: Counter[str] = Counter()
"""Sums of the running invocation. Powertools keeps each value, at most 100 of a metric: then it
writes them at once, without what they are about, and demands a namespace even where metrics are
switched off."""

_flushing = Lock()
"""The local run has functions in threads of one process; on Lambda nobody else has it."""


def count(name: str, number: int = 1) -> None:
    """Adds to a metric of the running invocation."""
    _counted[name] += number


def flush(**about: str | None) -> None:
    """Writes what the invocation counted, if anything, with what it is about."""
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
        # Where metrics are switched off, the former leaves them.
        _metrics.clear_metrics()
