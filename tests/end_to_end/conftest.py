"""One run for all of these tests, and a shop in it."""

from collections.abc import Iterator

import pytest

from tests.end_to_end.newcomer import Shop, open_shop
from tests.end_to_end.service import Service, containers_made, docker, start


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A run that is ready, and that must leave nothing behind when it is stopped."""
    running = start(tmp_path_factory.mktemp("run"))
    yield running
    assert running.stop() == 0
    made = containers_made()
    assert made, "no function ran in a container"
    assert made.isdisjoint(docker("ps", "--all", "--quiet", "--no-trunc"))
    assert running.network not in docker("network", "ls", "--format", "{{.Name}}")


@pytest.fixture(scope="session")
def shop(service: Service) -> Shop:
    """Petra's workspace with a store that listens."""
    return open_shop(service)
