"""Gives the demo's data the same ids, keys and tokens in each run.

So an event that was recorded in one run (`events/`) refers to records that exist in the next. A
function's random values are seeded by its name and its number of invocations, so that a change of
one function changes no other function's ids. Values drawn after the demo is made are random.
"""

import os
import random
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from types import FrameType
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from local import functions
from local.aws.moto_keys import KeyMaterial
from local.template import KEY, Function, resources

_DRAWING = frozenset({"random", "secrets", "uuid"})
"""The modules that draw ids and tokens; sealing and hashing draw their own, unseeded bytes."""


def demo_keys() -> dict[str, KeyMaterial]:
    """Returns the KMS keys of every run without kept data, by logical id."""
    return {
        name: KeyMaterial(
            str(uuid5(NAMESPACE_URL, f"storepost/{name}")), sha256(name.encode()).digest()
        )
        for name in resources(KEY)
    }


@contextmanager
def seeded() -> Iterator[None]:
    """Makes functions that this thread invokes in this process draw the same values in each run."""
    generator, invocations, own = random.Random(), Counter[str](), threading.get_ident()  # noqa: S311
    plain, inside = os.urandom, False

    def urandom(size: int) -> bytes:
        if inside and threading.get_ident() == own and _names_something(sys._getframe(1)):
            return generator.randbytes(size)
        return plain(size)

    def invoke(function: Function, event: dict[str, Any]) -> Any:  # noqa: ANN401 - its own answer
        nonlocal inside
        invocations[function.name] += 1
        generator.seed(f"{function.name} {invocations[function.name]}")
        inside = True
        try:
            return functions.invoke_here(function, event)
        finally:
            inside = False

    # `secrets` calls the second name: see the standard library's `random.SystemRandom`.
    names = ((os, "urandom"), (random, "_urandom"))
    for module, name in names:
        setattr(module, name, urandom)
    functions.run_elsewhere(invoke)
    try:
        yield
    finally:
        functions.run_elsewhere(None)
        for module, name in names:
            setattr(module, name, plain)


def _names_something(frame: FrameType | None) -> bool:
    """Whether the service draws an id or a token: botocore and calls to the table draw as well.

    The number of those draws depends on the time and on a container's caches.
    """
    while frame and frame.f_globals.get("__name__") in _DRAWING:
        frame = frame.f_back
    name = str(frame.f_globals.get("__name__")) if frame else ""
    return name.startswith("storepost.") and not name.startswith("storepost.platform.persistence.")
