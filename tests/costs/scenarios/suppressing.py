"""Suppressions, and who may be written to: one address, and 500 at once."""

from tests.costs.scenario import PROFILES, Request, Shop, email_of
from tests.costs.scenarios.registry import Scenarios

SCENARIOS = Scenarios()
MOST = 500
NOTE = "550 5.1.1 The email account that you tried to reach doesn't exist"


def _row(email: str, reason: str = "hard_bounce") -> dict[str, object]:
    return {"channel": "email", "address": email, "reason": reason, "note": NOTE}


def _suppressed(shop: Shop, email: str) -> str:
    """Suppresses a person's address: the suppression's id."""
    made = shop.send("suppressions.create", Request(shop.key, _row(email)))
    shop.world.deliver()
    return str(made.json["id"])


def _addresses(shop: Shop) -> Request:
    """Checks 500 addresses, of which 200 have profiles and ten are suppressed."""
    for number in range(10):
        _suppressed(shop, email_of(number))
    emails = [email_of(number) for number in range(PROFILES)]
    emails += [f"stranger{number}@example.com" for number in range(MOST - PROFILES)]
    return Request(shop.key, {"addresses": [{"channel": "email", "address": e} for e in emails]})


SCENARIOS.plain("suppressions.create", lambda t: Request(t.key, _row(email_of(1))), "of a profile")
SCENARIOS.plain(
    "suppressions.create", lambda t: Request(t.key, _row("stranger@example.com")), "nobody has it"
)
SCENARIOS.plain(
    "suppressions.create",
    lambda t: Request(t.key, _row(email_of(1), "complaint")),
    "a complaint, one write-back",
)


@SCENARIOS.of("suppressions.create", "known")
def known(shop: Shop) -> Request:
    _suppressed(shop, email_of(1))
    return Request(shop.key, _row(email_of(1)))


@SCENARIOS.of("suppressions.list")
def list_page(shop: Shop) -> Request:
    _suppressed(shop, email_of(1))
    return Request(shop.key)


@SCENARIOS.of("suppressions.get")
def get(shop: Shop) -> Request:
    return Request(shop.key, path={"id": _suppressed(shop, email_of(1))})


@SCENARIOS.of("suppressions.delete")
def lift(shop: Shop) -> Request:
    path = {"id": _suppressed(shop, email_of(1))}
    return Request(shop.key, path=path, query={"note": "They asked for it"})


SCENARIOS.plain(
    "suppressions.import",
    lambda t: Request(t.key, {"suppressions": [_row(f"old{n}@example.com") for n in range(MOST)]}),
    f"{MOST} addresses that nobody has",
)
SCENARIOS.plain("suppressions.check", _addresses, f"{MOST} addresses")
SCENARIOS.plain("reachability.check", _addresses, f"{MOST} addresses")


@SCENARIOS.of("profiles.getReachability")
def reachability(shop: Shop) -> Request:
    return Request(shop.key, path={"id": shop.subscriber})
