"""Prints the AWS clients that a function makes on import, and in its first request."""

import json
import sys
from importlib import import_module
from typing import Any

from botocore.client import ClientCreator

from local import aws
from local.functions import Context
from local.template import ROOT


def count() -> list[str]:
    """Returns a list to which the service of every client made from now on is added."""
    made: list[str] = []
    plain = ClientCreator.create_client

    def create_client(self: ClientCreator, **settings: Any) -> object:  # noqa: ANN401 - botocore's
        made.append(settings["service_name"])
        return plain(self, **settings)

    ClientCreator.create_client = create_client  # type: ignore[method-assign, assignment]
    return made


def answer_sample(module: str) -> None:
    """Runs a function on its sample event; the API's functions refuse theirs after one read."""
    _, kind, name, _ = module.split(".")
    event = json.loads((ROOT / "events" / kind / f"{name}.json").read_text())
    import_module(module).lambda_handler(event, Context(name, 10_000))


if __name__ == "__main__":
    aws.prepare_environment()
    aws.start()
    aws.create_resources()
    made = count()
    import_module(sys.argv[1])
    imported = list(made)
    if sys.argv[1].startswith("functions."):
        answer_sample(sys.argv[1])
    print(json.dumps([imported, made[len(imported) :]]))
