"""Unsubscribing by a link: made for an address, followed by whoever got it, without an account."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body

from storepost.consent.model import Proof
from storepost.http.app import create_app
from storepost.http.callers import Writer
from storepost.http.once import Writes
from storepost.http.origin import From
from storepost.http.pages import refused, shown
from storepost.problems import Problem
from storepost.reference import pages
from storepost.reference.schemas import Html
from storepost.unsubscribing import service
from storepost.unsubscribing.problems import LinkOver, UnknownLink
from storepost.unsubscribing.schemas import NewUnsubscribeLink, UnsubscribeForm, UnsubscribeUrl

# Mail programs, and what counts the clicks in an email, add to a link's query whatever they like.
app = create_app(
    forms=frozenset({"unsubscribe.confirm"}),
    any_query=frozenset({"unsubscribe.ask", "unsubscribe.confirm"}),
)


@app.post(
    "/v1/profiles/<id>/unsubscribe-links", operation_id="unsubscribeLinks.create", status_code=201
)
def create_unsubscribe_link(
    id: UUID,
    caller: Writer,
    origin: From,
    body: Annotated[NewUnsubscribeLink | None, Body()] = None,
) -> UnsubscribeUrl:
    """A link that unsubscribes the email address that the profile shows, for an email to it.

    It never expires, and goes on unsubscribing that address whatever becomes of the profile: when
    the address changes, when profiles merge, and when the person has subscribed again meanwhile.
    `reference` says which email it is made for, and comes back in the proof of the change; it has
    300 bytes at most in UTF-8, so that the link fits into a line of an email's head.

    For the button that mailbox providers show (RFC 8058), send the email with these two headers,
    and have its DKIM signature cover both:

    - `List-Unsubscribe: <url>`, the url between the angle brackets
    - `List-Unsubscribe-Post: List-Unsubscribe=One-Click`
    """
    link = service.make_link(caller.workspace, id, body.reference if body else None)
    return UnsubscribeUrl.of(link, origin.base_url)


@app.get("/v1/unsubscribe/<token>", operation_id="unsubscribe.ask")
def ask(token: str) -> Response[Html]:
    """A page that asks whoever follows the link whether to unsubscribe; it changes nothing.

    So those who open links before people do, such as virus scanners, unsubscribe nobody. A link
    that leads nowhere answers a browser with a page too.
    """
    followed = service.follow(token)
    return shown(pages.unsubscribe_page(followed.sender, followed.masked_email))


@app.post("/v1/unsubscribe/<token>", operation_id="unsubscribe.confirm")
def confirm(
    token: str, origin: From, writes: Writes, form: Annotated[UnsubscribeForm, Body()]
) -> Response[Html]:
    """Unsubscribes the address that the link was sent to, as often as it is asked for.

    The form is urlencoded or multipart. `One-Click` is what mailbox providers send (RFC 8058), and
    becomes a change of source `one_click`; the page's own form sends `By-Page`, which becomes
    `unsubscribe_link`. The change's proof has the request's address and browser, and the link's
    reference. Every store that knows the person is told. Where a shop of the workspace has moved to
    another one since, the address is unsubscribed there too.
    """
    by = Proof(ip=origin.ip_address, user_agent=origin.user_agent)
    followed = service.unsubscribe(token, form.source, by, writes)
    return shown(pages.unsubscribed_page(followed.sender, followed.masked_email), status=200)


def refuse(problem: Problem) -> Response[str]:
    """A page where it is a person that came by the link."""
    return refused(app, problem, pages.dead_link_page(problem))


app.exception_handler([UnknownLink, LinkOver])(refuse)
lambda_handler = app.handler()
