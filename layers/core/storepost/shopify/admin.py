"""The Admin GraphQL API for one shop.

    with admin_of(store) as admin:
        shop = admin.run(documents.SHOP)["shop"]
        admin.run(documents.APP_UNINSTALL)   # user errors are raised

It waits for the shop's bucket to refill, retries temporary failures, and refreshes the token. The
client's patience bounds the time of all that.
"""

import json
import random
from contextlib import AbstractContextManager
from typing import Protocol

from storepost.platform.fetching import Conversation, FetchFailed, UrlNotAllowed
from storepost.shopify import documents
from storepost.shopify.answers import CallOutcome, Data, Meaning, raise_refusals, read
from storepost.shopify.documents import Document
from storepost.shopify.errors import AccessDenied, NeedsReauth, ShopUnavailable
from storepost.shopify.grants import Grant
from storepost.shopify.pacing import Pacer
from storepost.shopify.patience import Patience
from storepost.shopify.shops import API_VERSION, address_of
from storepost.shopify.tokens import renewed_grant, usable_grant
from storepost.stores.stores.model import ConnectionStatus, Store

TIMEOUT_SECONDS = 15.0
MAX_BYTES = 8_000_000
PATIENCE_SECONDS = 20.0
MAX_FAILURES = 3
_THROTTLED = "the shop is throttling us"


class Access(Protocol):
    """The source of a client's token."""

    def token(self, patience: Patience) -> str:
        """Returns a token that should work."""

    def renew(self, patience: Patience) -> str:
        """Returns another token, after the shop refused the last one.

        Raises NeedsReauth where there is none.
        """


class StoredAccess:
    """Access by the shop's stored tokens."""

    def __init__(self, shop: str) -> None:
        """Reads nothing until a token is requested."""
        self._shop = shop
        self._grant: Grant | None = None
        self._is_new = False

    def token(self, patience: Patience) -> str:
        """Returns the access token, refreshed some minutes before it expires."""
        self._grant = usable_grant(self._shop, patience)
        return self._grant.access_token()

    def renew(self, patience: Patience) -> str:
        """Returns another token; refreshes only once.

        A refused refresh means that the app isn't approved any more.
        """
        if self._grant is None or self._is_new:
            raise ShopUnavailable("the shop refused a token that it has just given")
        self._grant, self._is_new = renewed_grant(self._grant, patience), True
        return self._grant.access_token()


class FixedAccess:
    """Access by a token that the caller has, and that isn't stored."""

    def __init__(self, token: str) -> None:
        """`token` is the only one."""
        self._token = token

    def token(self, patience: Patience) -> str:  # noqa: ARG002 - nothing to wait for
        """Returns the token."""
        return self._token

    def renew(self, patience: Patience) -> str:  # noqa: ARG002
        """Raises ShopUnavailable, as there is no other token."""
        raise ShopUnavailable("the shop refused the token")


class AdminClient(AbstractContextManager["AdminClient"]):
    """A client of one shop's Admin API, over one connection. For one thread; use it in a `with`."""

    def __init__(
        self,
        shop: str,
        access: Access,
        *,
        patience_seconds: float = PATIENCE_SECONDS,
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> None:
        """All waits together may take `patience_seconds`, each answer `timeout_seconds`."""
        self._access = access
        self._timeout = timeout_seconds
        self._patience = Patience(patience_seconds)
        self._pacer = Pacer()
        self._token: str | None = None
        self._conversation = Conversation(
            address_of(shop, f"/admin/api/{API_VERSION}/graphql.json")
        )

    def run(self, document: Document, /, **variables: object) -> Data:
        """Runs an operation; returns its data.

        Raises MutationRefused (the user errors of a mutation), AccessDenied, RequestRefused,
        NeedsReauth, and ShopUnavailable for temporary failures. A mutation that may have been
        carried out is never sent twice: its ShopUnavailable leaves open whether it was.
        """
        body = json.dumps({"query": document.text, "variables": variables}).encode()
        failures = 0
        while True:
            outcome = self._send(document, body)
            if outcome.meaning is Meaning.DONE:
                raise_refusals(outcome.data)
                return outcome.data
            if outcome.meaning is Meaning.TOKEN_REFUSED:
                self._token = self._access.renew(self._patience)
            elif outcome.meaning is Meaning.THROTTLED:
                self._wait_for_room(document, outcome)
            else:
                failures += 1
                self._wait_after_failure(document, outcome, failures)

    def wait(self, seconds: float, why: str) -> None:
        """Waits for the shop, if at all; raises ShopUnavailable if the patience is exceeded."""
        if seconds > 0:
            self._patience.wait(seconds, why)

    def __exit__(self, *_: object) -> None:
        self._conversation.close()

    def _send(self, document: Document, body: bytes) -> CallOutcome:
        if self._token is None:
            self._token = self._access.token(self._patience)
        self.wait(self._pacer.seconds_before(document), _THROTTLED)
        headers = {
            "content-type": "application/json",
            "accept": "application/json",
            "x-shopify-access-token": self._token,
        }
        try:
            answer = self._conversation.post(
                body=body, headers=headers, timeout=self._timeout, max_bytes=MAX_BYTES
            )
        except FetchFailed as error:
            return CallOutcome(Meaning.FAILED, {}, reason=error.reason)
        except UrlNotAllowed as error:
            raise ShopUnavailable(error.reason) from error
        outcome = read(answer)
        if outcome.cost is not None:
            self._pacer.note(document, outcome.cost)
        return outcome

    def _wait_for_room(self, document: Document, outcome: CallOutcome) -> None:
        seconds_requested = max(self._pacer.seconds_before(document), outcome.wait_seconds or 0.0)
        # The shop throttled although the bucket seemed full enough, or named no time.
        self.wait(seconds_requested or 1.0, _THROTTLED)

    def _wait_after_failure(self, document: Document, outcome: CallOutcome, failures: int) -> None:
        if document.is_mutation or failures == MAX_FAILURES:
            raise ShopUnavailable(outcome.reason)
        least = outcome.wait_seconds or 0.0
        self.wait(least + random.uniform(0, 2.0**failures), outcome.reason)  # noqa: S311


def admin_of(store: Store, *, patience_seconds: float = PATIENCE_SECONDS) -> AdminClient:
    """Returns a client of the store's shop. Raises NeedsReauth."""
    if store.connection_status is not ConnectionStatus.CONNECTED:
        raise NeedsReauth(f"the store is {store.connection_status}")
    return AdminClient(
        store.external_id, StoredAccess(store.external_id), patience_seconds=patience_seconds
    )


def takes_our_tokens(shop: str) -> bool:
    """Returns whether the shop accepts the stored tokens now.

    Raises ShopUnavailable where the shop doesn't answer that.
    """
    try:
        with AdminClient(shop, StoredAccess(shop)) as admin:
            admin.run(documents.ACCESS_SCOPES)
    except NeedsReauth:
        return False
    except AccessDenied:
        pass  # the shop knows the app, which answers the question
    return True
