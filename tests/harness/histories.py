"""Runs a state machine's histories: few by default, and 2,000 with CI's profile."""

import os
from typing import Any

from hypothesis import seed, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

SHARDS = range(4)
"""The histories are divided so that several processes can run them."""

_LONG = 500
"""Histories of a shard."""


def run_histories(
    machine: type[RuleBasedStateMachine],
    shard: int,
    *,
    few: int,
    steps: int,
    long_steps: int,
    checkpoints: list[Any],
) -> None:
    """Runs a shard's histories, each of so many steps, and closes the worlds of the checkpoints.

    The few default ones are the same every time.
    """
    is_long = os.environ.get("HYPOTHESIS_PROFILE") == "ci"
    try:
        run_state_machine_as_test(
            machine if is_long else seed(shard)(machine),
            settings=settings(
                max_examples=_LONG if is_long else few,
                stateful_step_count=long_steps if is_long else steps,
                derandomize=False,
                deadline=None,
                database=None,
                print_blob=True,
            ),
        )
    finally:
        for world, *_ in checkpoints:
            world.close()
        checkpoints.clear()
