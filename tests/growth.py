"""How work grows with its input: tells linear from quadratic, also on a noisy machine."""

import gc
from collections.abc import Callable
from time import process_time

_TIMES_AS_MUCH = 16
# Linear work takes about 16 times as long, quadratic work 256 times.
_MAX_RATIO = 80
_ATTEMPTS = 4
# Shorter times are dominated by the clock's resolution.
_SHORTEST_SECONDS = 0.002


def assert_linear(work: Callable[[int], object], count: int) -> None:
    """Measures `work` for `count` and for 16 times as many, and fails if it grows like a square.

    It measures CPU time without the garbage collector, whose passes depend on what other tests
    left. If the machine slows down in between, it measures again.
    """
    work(count)
    ratios = []
    gc.collect()
    gc.disable()
    try:
        for _ in range(_ATTEMPTS):
            short = max(_seconds(work, count), _SHORTEST_SECONDS)
            ratios.append(_seconds(work, count * _TIMES_AS_MUCH) / short)
            if ratios[-1] <= _MAX_RATIO:
                return
    finally:
        gc.enable()
    raise AssertionError(f"{_TIMES_AS_MUCH} times as much took {ratios} times as long")


def _seconds(work: Callable[[int], object], count: int) -> float:
    began = process_time()
    work(count)
    return process_time() - began
