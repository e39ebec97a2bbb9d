"""The world that every test begins with: an empty AWS in moto, from the template's resources."""

from collections.abc import Iterator

from local import aws

aws.prepare_environment()
aws.start()
aws.create_resources()

import pytest  # noqa: E402 - the service reads its environment when it is imported

from tests.world import World  # noqa: E402


@pytest.fixture
def world() -> Iterator[World]:
    """An empty world."""
    fresh = World()
    yield fresh
    fresh.close()
