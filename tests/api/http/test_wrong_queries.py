"""Values that a query can't have: 422 `validation`, with an error for each wrong parameter."""

import re
from urllib.parse import parse_qsl
from uuid import UUID

import pytest

from tests.harness.answers import operations
from tests.harness.world import Someone

LONG = "x" * 201
PAGE = "page=0&pageSize=7"
WRONG = {
    "apiKeys.list": f"{PAGE} status=ended scope=read,all sort=scope q={LONG}",
    "changeProposals.list": f"""
        status=new&kind=poem&definitionId=7&stale=perhaps&author=me&sort=name&{PAGE}""",
    "connections.list": f"type=amazon&state=gone&{PAGE}",
    "consent.listChanges": f"channel=post state=maybe source=guess {PAGE}",
    "consent.listEvidence": f"channel=post&{PAGE}",
    "coupons.list": f"{PAGE} storeId=x status=gone sort=value q=",
    "coupons.listCodes": f"{PAGE} status=lost profileId=x",
    "definitionSchemas.get": "schemaVersion=0",
    "definitionSchemas.list": PAGE,
    "definitions.list": f"kind=poem&q=&{PAGE}",
    "definitions.listVersions": PAGE,
    "feeds.list": PAGE,
    "feeds.listImports": f"status=lost&{PAGE}",
    "feeds.listSkippedRows": PAGE,
    "invitations.list": f"{PAGE} q= q={LONG}",
    "locales.list": f"origin=none&q=&{PAGE}",
    "members.list": f"page=0 pageSize=11 role=boss role=admin,boss role= sort=email q= q={LONG}",
    "optInRequests.list": PAGE,
    "orders.list": """
        page=x&pageSize=26&storeId=1&financialStatus=paid,lost&cancelled=perhaps
        placedFrom=yesterday&sort=number""",
    "problems.list": "page=0&pageSize=11",
    "productPriorityChanges.list": PAGE,
    "productPriorityChanges.listProducts": PAGE,
    "products.getSales": "from=x&to=2026-13-01 from=0 from=2026-03-01T00:00:00%2B02:00",
    "products.list": f"""
        {PAGE} status=gone stock=none missing=sku sort=vendor storeId=x locale=! changedFrom=x
        q=+""",
    "products.listVariants": PAGE,
    "profiles.list": """
        page=0 pageSize=20 sort=phone email=nobody phone=123 externalId=0 storeId=7
        isCustomer=perhaps emailMarketingConsent=subscribed,no smsMarketingConsent= reachable=fax
        locale=not+a+tag firstSeenFrom=yesterday firstSeenFrom=1767225600 lastSeenFrom=0.5
        lastSeenTo=2026-01-01T00:00:00""",
    "profiles.listCustomers": f"storeId=7&{PAGE}",
    "profiles.listEvents": f"""
        name=+&source=api,ann&storeId=7&occurredFrom=2026-13&occurredTo=x&{PAGE}""",
    "profiles.listIdentities": f"type=email,passport&{PAGE}",
    "profiles.listMerges": PAGE,
    "search.get": f"q= q=+ q={LONG} q=&kinds=poem&limit=11 q=&limit=0",
    "sessions.list": "page=0 pageSize=11",
    "stores.list": f"""
        platform=amazon&status=x&sort=id&connectionStatus=y importStatus=paused&{PAGE}""",
    "stores.listImportProblems": "page=0&pageSize=11",
    "stores.listImports": f"scope=events&status=paused&{PAGE}",
    "stores.listLocales": PAGE,
    "suppressions.list": f"""
        {PAGE} channel=fax reason=bounce source=list createdFrom=yesterday lifted=perhaps
        address=ann@example.com""",
    "webhookEndpoints.list": PAGE,
    "webhookEndpoints.listDeliveries": PAGE,
    "webhookEventTypes.list": "page=0 pageSize=7 type=order.created",
    "workspaces.availableSlug": f"name= name={'x' * 101}",
    "writeBacks.list": PAGE,
}
"""Requests of each operation, in which every parameter is wrong."""
REQUIRED = {"search.get": "q", "workspaces.availableSlug": "name"}

PATHS = {operation["operationId"]: path for path, _, operation in operations()}


def errors(owner: Someone, name: str, query: dict[str, str]) -> list[str]:
    """Where the errors are in the answer to an operation about unknown resources."""
    path = PATHS[name].replace("{kind}", "segment")
    return owner.call("GET", re.sub(r"{\w+}", str(UUID(int=1)), path), query=query).error_paths()


def test_every_list_is_asked_for_a_wrong_page() -> None:
    paged = {
        operation["operationId"]
        for _, _, operation in operations()
        if any(each.get("name") == "pageSize" for each in operation.get("parameters", []))
    }
    asked = {name for name, sent in WRONG.items() if {"page=", "pageSize="} <= names_in(sent)}
    assert asked == paged


def names_in(sent: str) -> set[str]:
    """The names of the parameters in the requests, each with its sign."""
    return set(re.findall(r"\w+=", sent))


@pytest.mark.usefixtures("world", "workspace")
@pytest.mark.parametrize(
    ("name", "sent"),
    [(name, sent) for name, all_sent in WRONG.items() for sent in all_sent.split()],
)
def test_each_wrong_parameter_is_named(owner: Someone, name: str, sent: str) -> None:
    query = dict(parse_qsl(sent, keep_blank_values=True, strict_parsing=True))
    assert sorted(errors(owner, name, query)) == sorted(f"query.{each}" for each in query)


@pytest.mark.usefixtures("world", "workspace")
@pytest.mark.parametrize(("name", "required"), REQUIRED.items())
def test_missing_parameter_is_named(owner: Someone, name: str, required: str) -> None:
    assert errors(owner, name, {}) == [f"query.{required}"]
