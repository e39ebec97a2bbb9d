"""The addresses of the pretend shops: `/_local/shopify/<shop>/admin/...`."""

import json
import threading
from collections.abc import Iterable
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, select_autoescape
from werkzeug.exceptions import NotFound
from werkzeug.routing import Map, Rule
from werkzeug.wrappers import Request, Response

from local.shopify.app import App
from local.shopify.oauth import Refused, approve, exchange
from local.shopify.shops import Shop
from storepost.shopify.shops import API_VERSION

_pages = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "pages"),
    autoescape=select_autoescape(["html"]),
)


class PretendShopify:
    """Shops that the app can be installed in; they answer one request at a time, as moto does."""

    def __init__(self, app: App, shops: Iterable[Shop]) -> None:
        """`app` is the only app that the shops know."""
        self.app = app
        self.shops = {shop.domain: shop for shop in shops}
        self._lock = threading.Lock()
        self._routes = Map(
            [
                Rule("/admin", methods=["GET"], endpoint=self.home),
                Rule("/admin/exports/<int:number>", methods=["GET"], endpoint=self.export),
                Rule("/admin/oauth/authorize", methods=["GET"], endpoint=self.ask),
                Rule("/admin/oauth/authorize", methods=["POST"], endpoint=self.approve),
                Rule("/admin/oauth/access_token", methods=["POST"], endpoint=self.tokens),
                Rule(
                    f"/admin/api/{API_VERSION}/graphql.json",
                    methods=["POST"],
                    endpoint=self.graphql,
                ),
            ]
        )

    def answer(self, request: Request, domain: str, path: str) -> Response:
        """Returns one shop's answer; `path` is the part after its name. Raises HTTPException."""
        endpoint, values = self._routes.bind("").match(f"/{path}", request.method)
        with self._lock:
            if domain not in self.shops:
                raise NotFound("The pretend Shopify has no shop of this name.")
            response: Response = endpoint(request, self.shops[domain], **values)
        return response

    def home(self, _request: Request, shop: Shop) -> Response:
        """Returns the shop's admin page, which only says whether the app is installed."""
        installed = "is" if shop.installation else "isn't"
        return Response(f"{shop.name}: the app {installed} installed.\n", mimetype="text/plain")

    def export(self, _request: Request, shop: Shop, number: int) -> Response:
        """Returns the file of an export, without authentication."""
        text = "".join(f"{line}\n" for line in shop.operations[number - 1].lines)
        return Response(text, mimetype="application/jsonl")

    def ask(self, request: Request, shop: Shop) -> Response:
        """Returns the page on which the shop's owner approves the app."""
        page = _pages.get_template("authorize.html").render(
            shop=shop, scopes=request.args.get("scope", "").split(",")
        )
        return Response(page, mimetype="text/html")

    def approve(self, request: Request, shop: Shop) -> Response:
        """Records the approval, and redirects to the app."""
        try:
            address = approve(self.app, shop, request.args)
        except Refused as refused:
            return _json({"error": refused.error}, refused.status)
        return Response(status=302, headers={"Location": address})

    def tokens(self, request: Request, shop: Shop) -> Response:
        """Returns tokens for a code or for a refresh token."""
        try:
            return _json(exchange(self.app, shop, request.form))
        except Refused as refused:
            return _json({"error": refused.error}, refused.status)

    def graphql(self, request: Request, shop: Shop) -> Response:
        """The Admin API."""
        # Its export files have the request's origin, too.
        shop.files = request.url.partition("/admin/")[0]
        token = request.headers.get("x-shopify-access-token", "")
        if shop.installation is None or not shop.installation.takes(token):
            message = "[API] Invalid API key or access token (unrecognized login or wrong password)"
            return _json({"errors": message}, 401)
        from local.shopify import admin  # noqa: PLC0415 - half a second, and not every run needs it

        return _json(admin.answer(shop, request.get_json(force=True)))


def _json(content: dict[str, object], status: int = 200) -> Response:
    return Response(json.dumps(content), status=status, mimetype="application/json")
