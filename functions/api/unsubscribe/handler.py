"""Unsubscribing by a link: made for an address, followed by the person who got it, without an
account.
"""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path

from storepost.api.http.app import create_app
from storepost.api.http.callers import Writer
from storepost.api.http.negotiation import PreferredLanguage
from storepost.api.http.once import Writes
from storepost.api.http.origin import From
from storepost.api.http.pages import BY_LANGUAGE, page_response, problem_pages
from storepost.api.reference import pages
from storepost.api.reference.schemas import Html
from storepost.people.consent.model import Proof
from storepost.people.unsubscribing import service
from storepost.people.unsubscribing.schemas import (
    NewUnsubscribeLink,
    UnsubscribeForm,
    UnsubscribeUrl,
)
from storepost.values.languages import Language

_LINK_TOKEN_OPERATIONS = frozenset({"unsubscribe.get", "unsubscribe.confirm"})
# Mail programs and click trackers add parameters of their own to a link's query.
app = create_app(
    forms=frozenset({"unsubscribe.confirm"}),
    any_query=_LINK_TOKEN_OPERATIONS,
    problem_page=problem_pages(_LINK_TOKEN_OPERATIONS, pages.dead_link_page),
)


@app.post(
    "/v1/profiles/<id>/unsubscribe-links", operation_id="unsubscribeLinks.create", status_code=201
)
def create_unsubscribe_link(
    id: Annotated[
        UUID, Path(description="The profile whose shown email address the link unsubscribes.")
    ],
    caller: Writer,
    origin: From,
    body: NewUnsubscribeLink | None = None,
) -> UnsubscribeUrl:
    """Create an unsubscribe link.

    The link unsubscribes the email address that the profile shows, for an email to it. It never
    expires, and keeps unsubscribing that address whatever happens to the profile: when the address
    changes, when profiles merge, and when the person has subscribed again meanwhile.

    For the button that mailbox providers show (RFC 8058), send the email with these two headers,
    and have its DKIM signature cover both:

    - `List-Unsubscribe: <url>`, the url between the angle brackets
    - `List-Unsubscribe-Post: List-Unsubscribe=One-Click`

    Mailbox providers decide themselves whether they show it.
    """
    link = service.make_link(caller.workspace, id, body.reference if body else None)
    return UnsubscribeUrl.of(link, origin.base_url)


@app.get(
    "/v1/unsubscribe/<token>",
    operation_id="unsubscribe.get",
    response_description="The page that asks, in HTML. Nothing has changed.",
)
def ask(
    token: Annotated[
        str, Path(description="The token in the link: it names the address and is signed.")
    ],
    reads: PreferredLanguage,
) -> Response[Html]:
    """Open the unsubscribe page.

    The page asks the person who follows the link whether to unsubscribe. It changes nothing, so
    those who open links before people do, such as virus scanners, unsubscribe nobody.

    It is in the profile's language; where that is none of German, English, Spanish, French,
    Italian, Dutch, Polish and Portuguese, in the one of them that the browser ranks highest
    (`accept-language`); else in English. A browser gets problems as pages too, in its own language.
    """
    link = service.follow_link(token)
    language = link.language or reads or Language.ENGLISH
    page = pages.unsubscribe_page(language, link.sender, link.masked_email)
    return page_response(page, BY_LANGUAGE)


@app.post(
    "/v1/unsubscribe/<token>",
    operation_id="unsubscribe.confirm",
    response_description="The page that says it, in HTML. The address is unsubscribed.",
)
def confirm(
    token: Annotated[
        str,
        Path(
            description="The token in the link that is followed: it names the address and is "
            "signed."
        ),
    ],
    origin: From,
    reads: PreferredLanguage,
    writes: Writes,
    form: UnsubscribeForm,
) -> Response[Html]:
    """Unsubscribe by a link.

    Unsubscribes the address that the link was sent to, as often as it is requested. The form is
    urlencoded or multipart. `One-Click` is what mailbox providers send (RFC 8058), and becomes a
    change of source `one_click`; the page's own form sends `By-Page`, which becomes
    `unsubscribe_link`. The change's proof has the request's network address and browser, and the
    link's reference. The change is written back to every store that knows the person. Where a shop
    of the workspace has moved to another one since, the address is unsubscribed there too. The page
    is in the language of the request.
    """
    by = Proof(ip=origin.ip_address, user_agent=origin.user_agent)
    link = service.unsubscribe(token, form.source, by, writes)
    language = link.language or reads or Language.ENGLISH
    page = pages.unsubscribed_page(language, link.sender, link.masked_email)
    return page_response(page, BY_LANGUAGE, status=200)


lambda_handler = app.handler()
