"""The commands: one for each operation, and `listen`."""

import argparse
import os
import sys
from collections.abc import Sequence

import httpx

from storepost_client.cli import calling, listening
from storepost_client.cli.operations import Operation, operations
from storepost_client.cli.settings import ArgumentError, SettingsError, settings_of
from storepost_client.client import Storepost
from storepost_client.problems import ProblemError


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command. Returns 0, 1 if the service refused it, 2 if its arguments are wrong."""
    options = parser().parse_args(_joined(sys.argv[1:] if arguments is None else arguments))
    try:
        settings = settings_of(options.credentials, options.caller)
        with Storepost(settings.base_url, settings.token) as client:
            if options.group == "listen":
                return listening.run(client, options, options.store or settings.store_id)
            return calling.run(client, options.operation, options)
    except (SettingsError, ArgumentError) as error:
        print(error, file=sys.stderr)
        return 2
    except ProblemError as problem:
        print(_problem_text(problem), file=sys.stderr)
    except BrokenPipeError:  # the reader of the output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except httpx.HTTPError as error:
        print(f"{settings.base_url} doesn't answer: {error}", file=sys.stderr)
    return 1


def _joined(arguments: Sequence[str]) -> list[str]:
    """Joins `--sort -placedAt` to a word: what begins with a dash is an option to argparse."""
    words: list[str] = []
    for word in arguments:
        if words[-1:] == ["--sort"] and word.startswith("-") and not word.startswith("--"):
            words[-1] = f"--sort={word}"
        else:
            words.append(word)
    return words


def parser() -> argparse.ArgumentParser:
    """All commands."""
    top = argparse.ArgumentParser(
        prog="storepost",
        description="Calls a Storepost service. Its address and token are STOREPOST_URL and"
        " STOREPOST_KEY, or those of a local run (.local/credentials.json).",
    )
    top.add_argument("--credentials", metavar="FILE", help="a local run's credentials.json")
    top.add_argument(
        "--as", dest="caller", default="write", metavar="WHO",
        help="whose token of that file: read, propose, write (the default), owner, admin, member",
    )  # fmt: skip
    groups = top.add_subparsers(dest="group", required=True, metavar="GROUP")
    listening.add_arguments(
        groups.add_parser(
            "listen", help="show write-backs or events as they come, their signatures checked"
        )
    )
    for name in dict.fromkeys(operation.group for operation in operations()):
        group = groups.add_parser(name, help=", ".join(o.verb for o in _of_group(name)))
        verbs = group.add_subparsers(dest="verb", required=True, metavar="VERB")
        for operation in _of_group(name):
            command = verbs.add_parser(
                operation.verb, help=operation.summary.replace("%", "%%"),
                description=f"{operation.method} {operation.path}: {operation.summary}",
            )  # fmt: skip
            command.set_defaults(operation=operation)
            calling.add_arguments(command, operation)
    return top


def _of_group(name: str) -> list[Operation]:
    return [operation for operation in operations() if operation.group == name]


def _problem_text(problem: ProblemError) -> str:
    lines = [f"{problem.status} {problem.code}: {problem.detail}"]
    lines += [f"  {error.path}: {error.message}" for error in problem.errors]
    return "\n".join([*lines, f"  request-id: {problem.request_id}"])
