"""Who signs in."""

import pytest

from tests.accounts.sign_in.accounts import account
from tests.harness.world import CANARY, Someone, World


@pytest.fixture
def person(world: World) -> Someone:
    """A person with a password and no second step."""
    return account(world, f"Petra {CANARY}")
