"""The requests: generated from the description, sent to the functions, and their answers judged."""

import random
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import count
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.core.failures import FailureGroup

from local.gateway.cors import cors_of_template
from local.gateway.front import application, gateway_in_process
from storepost.api.reference.documents import interface
from tests.fuzzing.judging import (
    CONFIG,
    is_of_a_rule,
    is_of_another_path,
    is_of_credentials,
    is_partial,
)
from tests.fuzzing.scenario import Target, build

BASE_URL = "http://localhost/v1"
FORMATS = {
    "bcp47": ["de", "de-AT", "pt-BR", "zh-Hant"],
    "iso4217": ["EUR", "JPY", "KWD", "usd"],
    "phone": ["+14155550123", "+43 1 5880450"],
}
"""What the description's own formats allow, for Schemathesis to choose from."""
_PLACES = 4

for name, values in FORMATS.items():
    schemathesis.openapi.format(name, st.sampled_from(values))


class GeneratedRequests:
    """Sends every operation its share of the requests."""

    def __init__(self, cases: int, only: str) -> None:
        """`only` is a part of the ids of the operations to call."""
        self.findings: set[tuple[str, str, str]] = set()
        self.request_count = 0
        self._random = random.Random(0)
        self._addresses = count()
        self._api = application(gateway_in_process(cors_of_template()))
        document = {**interface(), "servers": [{"url": BASE_URL}]}
        self._target: Target = build(document)
        self._ids = self._target.ids()
        config = schemathesis.Config.from_dict(CONFIG)
        schema: Any = schemathesis.openapi.from_dict(document, config=config)
        schema.app = self._answer
        self._schema = schema
        every = [result.ok() for result in schema.get_all_operations()]
        self.operations = [o for o in every if only in o.definition.raw["operationId"]]
        self._each = -(-cases // len(self.operations))

    def run(self) -> None:
        """Calls them all, each in the same world; prints faults and adds them to `findings`."""
        for operation in self.operations:
            mark_dirty = False
            for case in self._cases(operation):
                status = self._ask(case)
                mark_dirty |= case.method != "GET" and status < 400
            if mark_dirty:
                self._target.restore()

    def _cases(self, operation: Any) -> Iterator[Case[Any]]:
        """A third at the bounds, four ninths that are allowed, two ninths that are not."""
        path_parameters = self._target.path_parameters(operation.path)
        covering = self._covering(operation, path_parameters)
        rest = self._each - len(covering)
        yield from covering
        yield from self._made(operation, path_parameters, GenerationMode.POSITIVE, rest - rest // 3)
        yield from self._made(operation, [], GenerationMode.NEGATIVE, rest // 3)

    def _covering(self, operation: Any, path_parameters: list[dict[str, str]]) -> list[Case[Any]]:
        cases = self._schema.iter_coverage_cases(
            operation,
            generation_modes=list(GenerationMode),
            generation_config=self._schema.config.generation,
        )
        chosen = _sample(cases, self._each // 3, self._random)
        for case in chosen:
            if path_parameters and case.meta.generation.mode.is_positive:
                case.path_parameters = {**self._random.choice(path_parameters)}
        return chosen

    def _made(
        self,
        operation: Any,
        path_parameters: list[dict[str, str]],
        mode: GenerationMode,
        number: int,
    ) -> list[Case[Any]]:
        made: list[Case[Any]] = []
        some = self._random.sample(path_parameters, min(_PLACES, len(path_parameters)))
        to_something = [operation.as_strategy(mode, path_parameters=each) for each in some if each]

        @settings(
            max_examples=max(number, 1),
            phases=[Phase.generate],
            database=None,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        )
        @given(st.one_of(*to_something, operation.as_strategy(mode)))
        def make(case: Case[Any]) -> None:
            made.append(case)

        with suppress(Unsatisfiable):  # a request without input can't be wrong
            make()
        return made[:number]

    def _ask(self, case: Case[Any]) -> int:
        raw = case.operation.definition.raw
        headers = {}
        if raw["security"]:
            tokens = self._target.tokens(raw["x-caller"]["scope"])
            headers["Authorization"] = f"Bearer {self._random.choice(tokens)}"
        if case.meta and case.meta.generation.mode.is_positive:
            self._name_what_is_there(case)
        self.request_count += 1
        answer = case.call(headers=headers)
        sent = {"headers": headers, "app": self._answer}
        try:
            case.validate_response(answer, headers=headers, transport_kwargs=sent)
        except FailureGroup as group:
            for failure in group.exceptions:
                if not (
                    is_of_a_rule(failure, answer)
                    or is_partial(failure, raw, answer)
                    or is_of_credentials(failure)
                    or is_of_another_path(failure, case, self._target.document["paths"])
                ):
                    self._keep(case, failure, answer)
        return int(answer.status_code)

    def _keep(self, case: Case[Any], failure: Any, answer: Any) -> None:
        operation = case.operation.definition.raw["operationId"]
        message = str(failure)[:1500]
        key = (operation, type(failure).__name__, message)
        request = case.as_curl_command()[:1500]
        if key not in self.findings:
            self.findings.add(key)
            print(f"\n--- {operation}: {message}\n{request}", flush=True)
            print(f"{answer.status_code} {answer.content[:900]!r}", flush=True)

    def _name_what_is_there(self, case: Case[Any]) -> None:
        """Replaces ids in the request by ids of resources that exist."""
        for part in ("query", "body"):
            fields = getattr(case, part)
            if isinstance(fields, dict):
                known = {n: self._random.choice(self._ids[n]) for n in fields if self._ids.get(n)}
                if known:
                    setattr(case, part, {**fields, **known})

    def _answer(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        """The API as an application in this process; each request comes from another address."""
        number = next(self._addresses)
        query = environ["QUERY_STRING"]
        environ["RAW_URI"] = environ["RAW_URI"].partition("?")[0] + (f"?{query}" if query else "")
        environ["REMOTE_ADDR"] = f"198.18.{number // 256 % 256}.{number % 256}"
        environ.pop("HTTP_ACCEPT_ENCODING", None)
        return self._api(environ, start)


def _sample[T](things: Iterable[T], number: int, chance: random.Random) -> list[T]:
    """As many of the things, each as likely as the others, without holding them all."""
    chosen: list[T] = []
    for position, thing in enumerate(things):
        if len(chosen) < number:
            chosen.append(thing)
        elif (place := chance.randrange(position + 1)) < number:
            chosen[place] = thing
    return chosen
