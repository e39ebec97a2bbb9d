"""Pretend shops behind a real socket, and the steps of people who connect one."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit
from uuid import UUID

from werkzeug.exceptions import HTTPException
from werkzeug.serving import WSGIRequestHandler, make_server
from werkzeug.wrappers import Request, Response

from local import functions
from local.shopify.app import APP
from local.shopify.oauth import approve, signed
from local.shopify.shops import Shop
from local.shopify.web import PretendShopify
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.item import Item
from storepost.shopify.oauth import Tokens
from storepost.stores.stores.model import ConnectionStatus, Store
from storepost.stores.stores.repository import StoreRepository
from storepost.values.scope import WorkspaceScope
from tests.harness.world import CANARY, Answer, Someone, World

SHOP = "canary-shop.myshopify.com"
OTHER = "other-canary.myshopify.com"
PREFIX = "/shops/"

type Interruption = Callable[[Request], Response | None]
"""Looks at a request first; answers it in the shop's place, or leaves that to the shop."""


class _Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, type: str, message: str, *args: object) -> None:
        """Nothing."""


class ShopifyServer:
    """One socket for all tests of a process; each test sets what answers there."""

    def __init__(self) -> None:
        self.pretend = PretendShopify(APP, ())
        self.requests: list[str] = []
        self.interruptions: list[Interruption] = []
        self._server = make_server(
            "127.0.0.1", 0, self._serve, threaded=True, request_handler=_Quiet
        )
        self.host = f"127.0.0.1:{self._server.port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """The address before a shop's own path."""
        return f"http://{self.host}{PREFIX}".rstrip("/")

    def begin(self, *shops: Shop) -> None:
        """A new Shopify, with these shops."""
        self.pretend = PretendShopify(APP, shops)
        self.requests.clear()
        self.interruptions.clear()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _serve(self, environ: Any, start: Any) -> Any:
        with functions.apart():
            request = Request(environ)
            shop, _, path = request.path.removeprefix(PREFIX).partition("/")
            self.requests.append(f"{request.method} /{path}")
            try:
                response = self._interrupted(request) or self.pretend.answer(request, shop, path)
            except HTTPException as error:
                response = Response(error.description, status=error.code)
            return response(environ, start)

    def _interrupted(self, request: Request) -> Response | None:
        return self.interruptions.pop(0)(request) if self.interruptions else None


@dataclass
class Shopify:
    """Shopify and the people who connect its shops."""

    world: World
    server: ShopifyServer
    naps: list[float] = field(default_factory=list)
    """How long was waited, in seconds; nobody really does."""

    def shop(self, name: str = SHOP) -> Shop:
        """A shop as Shopify has it."""
        return self.server.pretend.shops[name]

    def token_requests(self) -> int:
        """How often tokens were asked for."""
        return self.server.requests.count("POST /admin/oauth/access_token")

    def answering(self, *responses: Response) -> None:
        """Answers the next requests with these instead of the shop's answers."""
        self.server.interruptions += [_answering(response) for response in responses]

    def begin(self, someone: Someone, shop: str = SHOP) -> dict[str, Any]:
        """A pending connection that a person began in their active workspace."""
        answer = someone.call("POST", "/connections", {"type": "shopify", "shop": shop})
        assert answer.status == 201, answer.body
        return dict(answer.json)

    def approved(self, connection: dict[str, Any], **overrides: str) -> dict[str, str]:
        """The parameters of Shopify's redirect after an approval; `overrides` replace some."""
        query = dict(parse_qsl(urlsplit(connection["path"]).query)) | overrides
        address = approve(APP, self.shop(connection["identifier"]), query)
        return dict(parse_qsl(urlsplit(address).query))

    def callback(self, parameters: dict[str, str]) -> Answer:
        """A person's browser follows Shopify's redirect."""
        return self.world.call("GET", "/connections/shopify/callback", query=parameters)

    def forged(self, parameters: dict[str, str]) -> dict[str, str]:
        """The parameters signed anew, as only Shopify could."""
        return signed(APP, {k: v for k, v in parameters.items() if k != "hmac"})

    def link(self, someone: Someone, shop: str = SHOP, **overrides: str) -> str:
        """The id of the link of an approval, of an install that the person began."""
        answer = self.callback(self.approved(self.begin(someone, shop), **overrides))
        assert answer.status == 302, answer.body
        return urlsplit(str(answer.header("location"))).fragment

    def choose(self, someone: Someone, link: str, choice: dict[str, Any], **more: Any) -> Answer:
        """A person connects the link's shop."""
        return someone.call("POST", f"/connect-links/{link}/connect", choice, **more)

    def connect(self, someone: Someone, workspace: WorkspaceScope, shop: str = SHOP) -> Store:
        """Connects a shop to a workspace, with all steps."""
        choice = {"action": "connect", "workspaceId": str(workspace.id)}
        answer = self.choose(someone, self.link(someone, shop), choice)
        assert answer.status == 200, answer.body
        return self.store(workspace, shop)

    def store(self, workspace: WorkspaceScope, shop: str = SHOP) -> Store:
        """The workspace's store of the shop, as it is stored."""
        [store] = [s for s in StoreRepository(workspace).all() if s.external_id == shop]
        return store

    def connections(self, someone: Someone, **query: object) -> list[dict[str, Any]]:
        """The connections of the person's active workspace."""
        answer = someone.call("GET", "/connections", query=query)
        assert answer.status == 200, answer.body
        return list(answer.json["items"])


def _answering(response: Response) -> Interruption:
    return lambda _request: response


def canary_shops() -> tuple[Shop, ...]:
    """Two shops, whose names no log may contain."""
    return (
        Shop(SHOP, f"Shop {CANARY}", f"shop.{CANARY}@example.com"),
        Shop(OTHER, f"Other {CANARY}", f"other.{CANARY}@example.com"),
    )


def tokens_of(shop: Shop) -> Tokens:
    """The tokens that the shop accepts now."""
    installation = shop.installation
    assert installation is not None
    return Tokens(
        installation.access_token,
        installation.access_ends_at,
        installation.refresh_token,
        installation.refresh_ends_at,
        installation.scopes,
    )


@contextmanager
def running_server() -> Iterator[ShopifyServer]:
    """The server for the length of a `with`."""
    server = ShopifyServer()
    try:
        yield server
    finally:
        server.close()


def choose_existing(workspace: WorkspaceScope | UUID) -> dict[str, str]:
    """The choice of an existing workspace."""
    identifier = workspace.id if isinstance(workspace, WorkspaceScope) else workspace
    return {"action": "connect", "workspaceId": str(identifier)}


def query_of(parameters: dict[str, str]) -> str:
    """The parameters as a query."""
    return urlencode(parameters)


def connection_is(store: Store, status: ConnectionStatus) -> None:
    """Sets the state of the store's connection."""

    def write(changes: Changes) -> None:
        repository = StoreRepository(store.workspace)
        stored = repository.get(store.id)
        assert stored is not None
        repository.save(changes, replace(stored, connection_status=status))

    commit_anew(write)


def entrusted(world: World) -> list[Item]:
    """The rows under a shop's own key, without those that name its former stores."""
    return [row for row in world.rows("shop#") if not row.sk.startswith("store#")]
