"""The acknowledged writes, each of which must exist afterwards exactly once."""

import threading
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from tests.fault_injection.requests import PEOPLE, Sent, email_of

type Answered = tuple[Sent, dict[str, Any]]


@dataclass
class Facts:
    """The answers that all writers received."""

    answered: list[Answered] = field(default_factory=list)
    tally: Counter[str] = field(default_factory=Counter)
    """The number of answers by status and code; `killed` counts missing ones."""
    wrong: list[str] = field(default_factory=list)
    """Answers that no request may get."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, outcome: str) -> None:
        """Counts an answer."""
        with self._lock:
            self.tally[outcome] += 1

    def refuse(self, text: str) -> None:
        """Records an answer that no request may get."""
        with self._lock:
            self.wrong.append(text)

    def add(self, sent: Sent, body: dict[str, Any]) -> None:
        """Records an acknowledged request."""
        with self._lock:
            self.answered.append((sent, body))

    def of(self, kind: str) -> list[Answered]:
        """Returns the acknowledged requests of one kind."""
        return [(sent, body) for sent, body in self.answered if sent.kind == kind]

    @property
    def orders(self) -> set[str]:
        """The orders' external ids, including those from batches."""
        put = {sent.named for sent, _ in self.of("order")}
        return put.union(*(_ids(sent, "orders") for sent, _ in self.of("batch")))

    @property
    def customers(self) -> set[tuple[str, str]]:
        """The customers' addresses and external ids in the store."""
        put = {(email_of(number), f"c-{number}") for number in range(PEOPLE)}
        put |= {(email_of(sent.person), sent.named) for sent, _ in self.of("customer")}
        batches = (sent.body["customers"] for sent, _ in self.of("batch"))
        return put | {(each["email"], each["externalId"]) for some in batches for each in some}

    @property
    def people(self) -> set[str]:
        """The addresses of all people in the requests."""
        kinds = ("customer", "profile", "event", "consent")
        named = {email_of(sent.person) for kind in kinds for sent, _ in self.of(kind)}
        buyers = {sent.body["customer"]["email"] for sent, _ in self.of("order")}
        return named | buyers | {email for email, _ in self.customers} | _buyers(self.of("batch"))

    @property
    def events(self) -> dict[str, Counter[str]]:
        """The number of a person's events of each name, by address."""
        found: dict[str, Counter[str]] = defaultdict(Counter)
        for sent, _ in self.of("event"):
            found[email_of(sent.person)]["viewed"] += 1
        placed = {sent.named: sent.body["customer"]["email"] for sent, _ in self.of("order")}
        for sent, _ in self.of("batch"):
            placed |= {
                each["externalId"]: each["customer"]["email"] for each in sent.body["orders"]
            }
        for email in placed.values():
            found[email]["order_placed"] += 1
        return found

    @property
    def changes(self) -> dict[str, set[str]]:
        """The ids of consent changes, by address."""
        found: dict[str, set[str]] = {email_of(number): set() for number in range(PEOPLE)}
        for sent, body in self.of("consent"):
            found[email_of(sent.person)].add(body["id"])
        return found


def _ids(sent: Sent, name: str) -> set[str]:
    return {str(each["externalId"]) for each in sent.body[name]}


def _buyers(batches: list[Answered]) -> set[str]:
    return {str(each["customer"]["email"]) for sent, _ in batches for each in sent.body["orders"]}
