"""Powertools' batches without its models of events, which nothing here uses.

If pydantic is loaded already, Powertools also loads models of Kafka's, Kinesis's and other records
with its batches: 25 ms. A new version that changes it fails
`tests/platform/test_private_interfaces.py`.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def _hidden(module: str) -> Iterator[None]:
    """Makes a module look as though it weren't loaded."""
    loaded = sys.modules.pop(module, None)
    try:
        yield
    finally:
        if loaded is not None:
            sys.modules[module] = loaded


with _hidden("pydantic"):
    from aws_lambda_powertools.utilities.batch import (
        BatchProcessor,
        EventType,
        SqsFifoPartialProcessor,
        process_partial_response,
    )

__all__ = ["BatchProcessor", "EventType", "SqsFifoPartialProcessor", "process_partial_response"]
