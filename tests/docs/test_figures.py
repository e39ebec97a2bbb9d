"""Numbers in texts that people read are the code's: each sentence is held to its constant."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from local.template import ROOT
from storepost.accounts.identity import codes, known_places, trusted_browsers
from storepost.accounts.invitations import model as invitations
from storepost.accounts.sign_in import model as sign_in
from storepost.people.opt_in import model as opt_in
from storepost.shopify import installs
from storepost.stores.stores import signing_secrets

CORE = ROOT / "layers" / "core" / "storepost"
EMAILS = CORE / "accounts" / "emails" / "templates"
REFERENCE = CORE / "api" / "reference"
WORDS = {7: "seven", 10: "ten"}


def minutes(time: timedelta) -> int:
    return time // timedelta(minutes=1)


def hours(time: timedelta) -> int:
    return time // timedelta(hours=1)


CODES = minutes(codes.VALID_FOR)
DAYS = opt_in.VALID_FOR.days
OPT_IN_LINKS = {
    "de": f"gilt {DAYS} Tage",
    "en": f"works for {DAYS} days",
    "es": f"durante {DAYS} días",
    "fr": f"valable {DAYS} jours",
    "it": f"per {DAYS} giorni",
    "nl": f"is {DAYS} dagen geldig",
    "pl": f"przez {DAYS} dni",
    "pt": f"por {DAYS} dias",
}
SENTENCES = [
    *(
        (EMAILS / name / "body.txt", f"for {CODES} minutes")
        for name in ("verify_address", "new_address_code", "two_factor_email_code", "sign_in_code")
    ),
    (EMAILS / "password_reset/body.txt", f"once, for {minutes(sign_in.RESET_VALID_FOR)} minutes"),
    *(
        (CORE / "accounts/emails/texts" / f"{language}.json", sentence)
        for language, sentence in OPT_IN_LINKS.items()
    ),
    (REFERENCE / "openapi.json", f"The link works for {WORDS[opt_in.VALID_FOR.days]} days"),
    (REFERENCE / "openapi.json", f"and two in {opt_in.MONTH.days} days"),
    (ROOT / "docs/semantics.md", f"twice in {opt_in.MONTH.days} days an address"),
    (ROOT / "docs/semantics.md", f"{opt_in.KEPT_FOR.days} days after it was sent"),
    (ROOT / "docs/guides/consent.md", f"The link works for {DAYS} days"),
    (REFERENCE / "problems.json", f"and two in {opt_in.MONTH.days} days"),
    (REFERENCE / "templates/account.html", f"is valid for {CODES} minutes"),
    (REFERENCE / "openapi.json", f"valid for {WORDS[invitations.VALID_FOR.days]} days"),
    (REFERENCE / "openapi.json", f"Its {WORDS[invitations.VALID_FOR.days]} days start again"),
    (REFERENCE / "openapi.json", f"within {WORDS[minutes(installs.STATE_VALID_FOR)]} minutes"),
    (
        REFERENCE / "openapi.json",
        f"For {hours(signing_secrets.OLD_SECRET_SIGNS)} hours each message is signed",
    ),
    (REFERENCE / "openapi.json", f"second step for {trusted_browsers.TRUSTED_FOR.days} days"),
    (REFERENCE / "problems.json", f"invitation's {WORDS[invitations.VALID_FOR.days]} days"),
    (REFERENCE / "problems.json", f"during the last {known_places.KNOWN_FOR.days} days"),
    (REFERENCE / "problems.json", f"emails in {hours(invitations.DAY)} hours"),
    (ROOT / "docs/guides/connect-your-shop.md", f"{hours(signing_secrets.OLD_SECRET_SIGNS)} hours"),
]


@pytest.mark.parametrize(
    ("path", "sentence"), SENTENCES, ids=lambda part: getattr(part, "stem", part)
)
def test_number_in_text_equals_the_constant(path: Path, sentence: str) -> None:
    text = path.read_text("utf-8")
    if path.suffix == ".json":
        text = json.dumps(json.loads(text), ensure_ascii=False)
    assert sentence in " ".join(text.replace("\\n", " ").split())
