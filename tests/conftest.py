"""The world that every test begins with: an empty AWS in moto, from the template's resources."""

import os
from collections.abc import Iterator

from hypothesis import settings

from local import aws

aws.prepare_environment()
aws.start()
aws.create_resources()

import pytest  # noqa: E402 - the service reads its environment when it is imported

from tests.world import World  # noqa: E402

# What `make test` runs is the same every time; CI looks further, and prints how to repeat a find.
settings.register_profile("default", max_examples=60, deadline=None, derandomize=True)
settings.register_profile("ci", max_examples=2000, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture
def world() -> Iterator[World]:
    """An empty world."""
    fresh = World()
    yield fresh
    fresh.close()
