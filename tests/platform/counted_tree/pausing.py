"""What another process does between any two calls of a piece of work."""

from collections.abc import Callable
from functools import partial
from itertools import count

from tests.platform.counted_tree.engine import Engine
from tests.platform.counted_tree.lists import TwoLists


def paused(engine: Engine, number: int, act: Callable[[], None], work: Callable[[], None]) -> bool:
    """Whether the work came to its call of that number, before which `act` acted."""
    calls = count(1)
    acted = False

    def pause(_operation: str) -> None:
        nonlocal acted
        if next(calls) == number:
            engine.before_call, acted = None, True
            act()

    engine.before_call = pause
    work()
    engine.before_call = None
    return acted


def each_pause(
    engine: Engine,
    before: TwoLists,
    act: Callable[[TwoLists], None],
    work: Callable[[TwoLists], None],
) -> None:
    """Calls `act` before each call of `work`, each time from the same list."""
    restore = engine.snapshot()
    acted, number = True, 0
    while acted:
        number += 1
        restore()
        lists = TwoLists(before.tree, dict(before.model))
        acted = paused(engine, number, partial(act, lists), partial(work, lists))
        lists.check_whole()
        lists.tree.fold()
        lists.check_whole()
    assert number > 3
