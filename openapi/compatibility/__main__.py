"""Compares the description with the last release's; a given version stores it as that release's."""

import json
import sys

from openapi.compatibility.breaks import breaks
from openapi.compatibility.releases import FOLDER, keep, latest

_CURRENT = FOLDER.parent.parent / "layers/core/storepost/api/reference/openapi.json"


def main(version: str = "") -> int:
    """Prints the changes that would break a client; returns 1 if there are any, else 0."""
    description = json.loads(_CURRENT.read_text("utf-8"))
    if version:
        print(f"{keep(version, description)} is what the next description is compared with.")
        return 0
    released = latest()
    if released is None:
        print("Nothing was released yet: there is nothing to compare with.")
        return 0
    found = breaks(released, description)
    for each in found:
        print(each)
    if found:
        print(f"{len(found)} changes would break a client (docs/guides/versions.md).")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
