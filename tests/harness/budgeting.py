"""Request budgets in tests: off (`local.aws`), except in tests of budgets."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from unittest import mock

from local.aws import BUDGETS
from local.template import environment, parameter_defaults
from storepost.platform.budgets.spending import Spending
from storepost.values import clock
from storepost.values.settings import settings


@contextmanager
def budgeted(**overrides: str) -> Iterator[None]:
    """Applies the template's budgets, or other values of its parameters, in a new container."""
    values = {**parameter_defaults(), **overrides}
    named = {name: v.get("Ref") for name, v in environment().items() if isinstance(v, dict)}
    changed = {*BUDGETS, *overrides}
    variables = {name: values[str(ref)] for name, ref in named.items() if ref in changed}
    try:
        with mock.patch.dict(os.environ, variables), new_container():
            settings.cache_clear()
            yield
    finally:
        settings.cache_clear()


@contextmanager
def clock_at_rest() -> Iterator[None]:
    """Stops the clock, so that only the test advances it."""
    began = clock.now() - clock.offset()

    def now() -> datetime:
        return began + clock.offset()

    with mock.patch.object(clock, "now", now):
        yield


@contextmanager
def new_container() -> Iterator[Spending]:
    """Replaces the container by one without budget state, until the end of the block."""
    with mock.patch("storepost.api.http.budgets.container", Spending()) as made:
        yield made
