# mypy: ignore-errors
"""The first calls, by the generated client alone: it runs where nothing of ours can be imported."""

import sys
from http import HTTPStatus

from storepost_client import AuthenticatedClient
from storepost_client.api.orders import orders_list
from storepost_client.api.profiles import profiles_upsert
from storepost_client.api.search import search_find
from storepost_client.models import OrdersListSort, PageSize, UpsertProfile

base_url, read, write, store_id = sys.argv[1:]
reader = AuthenticatedClient(base_url=base_url, token=read)
writer = AuthenticatedClient(base_url=base_url, token=write)

page = orders_list.sync(client=reader, page_size=PageSize(10), store_id=store_id)
assert len(page.items) == 10, page
assert page.total == 30, page.total
again = orders_list.sync(
    client=reader,
    sort=OrdersListSort("placedAt"),
    financial_status=[page.items[0].financial_status],
)
assert 0 < again.total <= page.total

made = profiles_upsert.sync_detailed(
    client=writer,
    body=UpsertProfile(email="ada@example.com", first_name="Ada"),
    idempotency_key="first-call",
)
assert made.status_code is HTTPStatus.CREATED, made
assert made.parsed.email == "ada@example.com", made.parsed
refused = profiles_upsert.sync_detailed(client=reader, body=UpsertProfile(email="a@example.com"))
assert (refused.status_code, refused.parsed.code) == (HTTPStatus.FORBIDDEN, "scope"), refused

groups = search_find.sync(client=reader, q=page.items[0].number).groups
assert page.items[0].id in {hit.id for group in groups for hit in group.items}, groups
print("A generated client lists orders, makes a profile, is refused one, and finds an order.")
