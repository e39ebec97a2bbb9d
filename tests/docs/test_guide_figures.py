"""Numbers in the guides are the code's."""

import re
from pathlib import Path

import pytest

from local.template import ROOT, parameter_defaults
from storepost.accounts.api_keys.model import (
    ACTIVE_KEYS,
    OVERLAP_SECONDS,
    OWN_OVERLAP_DEFAULT,
    OWN_OVERLAP_SECONDS,
)
from storepost.accounts.invitations import model as invitations
from storepost.api.http.app import BODY_BYTES, LARGE_BODY_BYTES
from storepost.catalog.products.bodies import MAX_VARIANTS
from storepost.connections.links import model as links
from storepost.feeds.feeds.model import INTERVAL
from storepost.feeds.files.bounds import MAX_BYTES
from storepost.orders.bodies import MAX_DISCOUNT_CODES, MAX_LINE_ITEMS
from storepost.people.consent.resending import MAX_RESENDS
from storepost.platform.budgets.slots import MAX_AT_ONCE
from storepost.platform.persistence.idempotency import STORED_SECONDS
from storepost.shopify import installs, scopes
from storepost.stores.stores import signing_secrets
from storepost.stores.stores.schemas import MAX_LOCALES
from storepost.sync.batches.schemas import MAX_RECORDS
from storepost.sync.batches.service import MAX_WAITING
from storepost.sync.pulls import reconciling
from storepost.sync.pulls import running as pulls
from storepost.sync.webhooks import privacy
from storepost.values.pagination import MAX_ROWS

GUIDES = ROOT / "docs" / "guides"
WORDS = {1: "an", 2: "two", 4: "Four", 5: "five", 6: "six", 10: "ten"}
DEFAULTS = parameter_defaults()
KEY = int(DEFAULTS["CallerRequestsPerSecond"])
WORKSPACE = int(DEFAULTS["WorkspaceRequestsPerSecond"])
BURST = int(DEFAULTS["BudgetBurstSeconds"])
OPT_INS = int(DEFAULTS["OptInEmailsPerDay"])
MB = 1_000_000
DAY_HOURS = STORED_SECONDS // 3600

SENTENCES = [
    ("rates", f"| an API key | {KEY} | {KEY * BURST} |"),
    ("rates", f"| a signed-in person, over all sessions | {KEY} | {KEY * BURST} |"),
    ("rates", f"together | {WORKSPACE} | {WORKSPACE * BURST} |"),
    ("rates", f"| {BODY_BYTES // MB} MB; {LARGE_BODY_BYTES // MB} MB for batches"),
    ("rates", f"changes of consent in an import | {MAX_RECORDS} |"),
    ("rates", f"| line items of an order | {MAX_LINE_ITEMS} |"),
    ("rates", f"| discount codes of an order | {MAX_DISCOUNT_CODES} |"),
    ("rates", f"| variants of a product | {MAX_VARIANTS:,} |"),
    ("rates", f"| locales of a store | {MAX_LOCALES} |"),
    ("rates", f"| active API keys of a workspace | {ACTIVE_KEYS} |"),
    ("rates", f"| a feed's file | {MAX_BYTES // 1024**3} GiB |"),
    ("rates", f"- {MAX_WAITING} batches of a store wait at most"),
    ("rates", f"- {WORDS[MAX_AT_ONCE]} previews or checks of feeds"),
    ("rates", f"invitations in {invitations.DAY.days * 24} hours"),
    ("rates", f"sends {OPT_INS:,} emails that ask for an opt-in at once"),
    ("consent", f"sends {OPT_INS:,} at once"),
    ("errors", f"| {BODY_BYTES // MB} MB, and {LARGE_BODY_BYTES // MB} MB for batches"),
    ("retries", f"the same request within {DAY_HOURS} hours"),
    ("lists", f"more than {MAX_ROWS:,} rows"),
    ("imports", f"up to {MAX_RECORDS} customers and orders, or up to {MAX_RECORDS} products"),
    ("imports", f"Up to {MAX_WAITING} wait"),
    ("consent", f"up to {MAX_RECORDS} changes"),
    ("feeds", f"Every {WORDS[INTERVAL.seconds // 3600]} hours"),
    ("feeds", f"over {MAX_BYTES // 1024**3} GiB"),
    ("keys", f"for {OVERLAP_SECONDS // 3600} hours at most"),
    ("keys", f"for {OWN_OVERLAP_DEFAULT // 60} minutes, or"),
    ("keys", f"for {OWN_OVERLAP_SECONDS // 60} minutes at least"),
    ("keys", f"valid for {invitations.VALID_FOR.days} days"),
    ("write-backs", f"each of them {WORDS[MAX_RESENDS]} times at most"),
    ("shopify", f"within {WORDS[installs.STATE_VALID_FOR.seconds // 60]} minutes"),
    ("shopify", f"works for {WORDS[links.VALID_FOR.seconds // 3600]} hour, and once"),
    ("shopify", f"those of the last {reconciling.WINDOW.days} days"),
    ("shopify", f"more than {pulls.MAX_DURATION.days * 24} hours fails with `timed_out`"),
    ("shopify", f"**After {WORDS[privacy.REDACTED_AFTER.days]} days**"),
    ("write-backs", f"For {signing_secrets.OLD_SECRET_SIGNS.days * 24} hours"),
]


@pytest.mark.parametrize(("guide", "sentence"), SENTENCES)
def test_number_in_guide_equals_the_constant(guide: str, sentence: str) -> None:
    text = Path(GUIDES / f"{guide}.md").read_text("utf-8")
    assert sentence in " ".join(text.split())


def test_shopify_guide_explains_every_scope_of_the_app() -> None:
    text = (GUIDES / "shopify.md").read_text("utf-8")
    rows = [row.split(" | ") for row in text.splitlines() if row.startswith("| `")]
    explained = {scope: row[2] for row in rows for scope in re.findall(r"`(\w+)`", row[0])}
    assert sorted(explained) == sorted(DEFAULTS["ShopifyScopes"].split(","))
    needed = {scope for scope, lacking in explained.items() if "can't be connected" in lacking}
    assert needed == set(scopes.REQUIRED)
