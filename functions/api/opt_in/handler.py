"""Double opt-in: a request by email, and the page behind its link."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path

from storepost.api.http.app import create_app
from storepost.api.http.callers import Reader, Writer
from storepost.api.http.lists import Page, PageNumber, Size
from storepost.api.http.negotiation import PreferredLanguage
from storepost.api.http.once import Writes
from storepost.api.http.origin import From
from storepost.api.http.pages import BY_LANGUAGE, page_response, problem_pages
from storepost.api.reference import pages
from storepost.api.reference.schemas import Html
from storepost.people.consent.model import Proof
from storepost.people.opt_in import listing, requesting, service
from storepost.people.opt_in.bodies import NewOptInRequest, OptInForm
from storepost.people.opt_in.schemas import OptInRequest
from storepost.people.opt_in.service import Followed
from storepost.values import clock
from storepost.values.languages import Language
from storepost.values.pagination import PageRequest, PageSize

_LINK_TOKEN_OPERATIONS = frozenset({"optIn.get", "optIn.confirm"})
# Mail programs and click trackers add parameters of their own to a link's query.
app = create_app(
    forms=frozenset({"optIn.confirm"}),
    any_query=_LINK_TOKEN_OPERATIONS,
    problem_page=problem_pages(_LINK_TOKEN_OPERATIONS, pages.dead_opt_in_link_page),
)


@app.post(
    "/v1/profiles/<id>/opt-in-requests",
    operation_id="optInRequests.create",
    status_code=202,
    response_description="The request. Its email is on its way.",
)
def create_opt_in_request(
    id: Annotated[
        UUID, Path(description="The profile whose shown email address gets the request.")
    ],
    caller: Writer,
    origin: From,
    writes: Writes,
    body: NewOptInRequest,
) -> OptInRequest:
    """Request an opt-in by email.

    Emails a link to the address that the profile shows, in the profile's language. A person who
    follows it and presses the button there is subscribed, with a confirmed opt-in: the evidence has
    the form, the email's text and the click. The link works for seven days.

    The address is `pending` until then, and that is written back to its stores; an address that is
    subscribed stays subscribed. Where it was unsubscribed, `occurredAt` must be later than that. An
    address gets one of these emails a day at most, and two in 30 days; a workspace sends as many a
    day as the service's operator allows.
    """
    request = requesting.request_opt_in(caller, id, body.value(), origin.base_url, writes)
    return OptInRequest.of(request, clock.now())


@app.get("/v1/profiles/<id>/opt-in-requests", operation_id="optInRequests.list")
def list_opt_in_requests(
    id: Annotated[UUID, Path(description="The profile whose requests are listed.")],
    caller: Reader,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[OptInRequest]:
    """List a profile's opt-in requests.

    Lists the requests of the last 30 days, newest first, with the status of each. What proves an
    opt-in is kept longer: it is the evidence of the profile's consent.
    """
    found = listing.list_requests(caller.workspace, id, PageRequest(page, page_size))
    now = clock.now()
    return Page[OptInRequest].of(found, lambda each: OptInRequest.of(each, now))


@app.get(
    "/v1/opt-in/<token>",
    operation_id="optIn.get",
    response_description="The page, in HTML. Nothing has changed.",
)
def ask(
    token: Annotated[
        str, Path(description="The token in the link: it names the request and is sealed.")
    ],
    reads: PreferredLanguage,
) -> Response[Html]:
    """Open the opt-in page.

    The page asks the person who follows the link whether the address is to get marketing emails. It
    changes nothing, so those who open links before people do, such as virus scanners, subscribe
    nobody. Once its button was pressed, it says so.

    It is in the profile's language; where that is none of German, English, Spanish, French,
    Italian, Dutch, Polish and Portuguese, in the one of them that the browser ranks highest
    (`accept-language`); else in the email's. A browser gets problems as pages too.
    """
    followed = service.follow_link(token)
    shows = pages.opted_in_page if followed.is_confirmed else pages.opt_in_page
    page = shows(_language(followed, reads), followed.sender, followed.masked_email)
    return page_response(page, BY_LANGUAGE)


@app.post(
    "/v1/opt-in/<token>",
    operation_id="optIn.confirm",
    response_description="The page that says it, in HTML. The address is subscribed.",
)
def confirm(
    token: Annotated[
        str,
        Path(
            description="The token in the link that is followed: it names the request and is "
            "sealed."
        ),
    ],
    origin: From,
    reads: PreferredLanguage,
    writes: Writes,
    form: OptInForm,  # noqa: ARG001 - it can say one thing only
) -> Response[Html]:
    """Confirm an opt-in.

    Subscribes the address that the link was sent to, as the page's button does. The form is
    urlencoded or multipart. The change's proof has the request's network address and browser, and
    the reference of the form; its source is `api` or `manual`, as the request was made by a key or
    a person. The change is written back to every store that knows the person. A second answer shows
    the same page and changes nothing.
    """
    by = Proof(ip=origin.ip_address, user_agent=origin.user_agent)
    followed = service.confirm(token, by, writes)
    language = _language(followed, reads)
    page = pages.opted_in_page(language, followed.sender, followed.masked_email)
    return page_response(page, BY_LANGUAGE, status=200)


def _language(followed: Followed, reads: Language | None) -> Language:
    return followed.language or reads or followed.request.language


lambda_handler = app.handler()
