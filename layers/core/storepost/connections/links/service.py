"""Chooses a shop's workspace: the choices of a link for a person, and carrying out the choice."""

from dataclasses import dataclass
from uuid import UUID

from storepost.accounts.emails.messages import StoreMoved
from storepost.accounts.emails.outgoing import send_email
from storepost.accounts.identity.model import SignedInPerson
from storepost.accounts.identity.repository import find_person
from storepost.accounts.workspaces.model import Workspace
from storepost.accounts.workspaces.problems import RoleTooSmall, TwoFactorRequired
from storepost.accounts.workspaces.repository import Standing, WorkspaceRepository, standings_of
from storepost.accounts.workspaces.service import create_workspace
from storepost.catalog.products.store_terms import update_terms
from storepost.connections.links.model import Choice, ConnectLink, ToNewWorkspace
from storepost.connections.links.problems import LinkExpired, LinkUsed
from storepost.connections.links.repository import find_link, use_link
from storepost.coupons.backoff import queue_restored
from storepost.people.consent.resending import resend_missed
from storepost.platform.messaging.email_tags import account_tags
from storepost.platform.persistence.changes import Changes, LostRace
from storepost.shopify.claims import ShopClaim, claim_for, find_claim
from storepost.shopify.details import locales_of
from storepost.shopify.grants import Grant, find_grant, keep_while_connected
from storepost.shopify.installs import InstallRepository, installs_of
from storepost.shopify.scopes import lacking, may_make_coupons, may_write_consent
from storepost.shopify.shops import address_of
from storepost.stores.imports.service import queue_first_imports
from storepost.stores.stores.finding import known_store
from storepost.stores.stores.model import ConnectionStatus, Platform, Store, StoreStatus
from storepost.stores.stores.problems import StoreDisconnected
from storepost.stores.stores.repository import StoreRepository
from storepost.stores.stores.service import disconnect_store, save_connected
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.problems import FieldError, NotFound, ValidationFailed, handles, needed
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class Choices:
    """A link's choices for a person."""

    managed: list[Standing]
    """The workspaces where the person is owner or admin."""
    requested: list[UUID]
    """Those of them with a pending install of this shop."""
    behind_two_factor: list[Workspace]
    """Those of them that require two-factor authentication, which the person doesn't have."""
    previous: Workspace | None
    """The workspace that the shop is connected to now, if the person belongs to it."""


def preview(link_id: UUID) -> ConnectLink:
    """Returns the link with that id; a used one is still shown until its hour is over.

    Raises NotFound and LinkExpired.
    """
    link = needed(find_link(link_id), NotFound("No connect link with this id exists."))
    if link.has_ended(clock.now()):
        raise LinkExpired()
    return link


def choices_of(caller: SignedInPerson, link: ConnectLink) -> Choices:
    """Returns the link's choices for the caller."""
    standings = standings_of(caller.person.scope)
    managed = [standing for standing in standings if standing.membership.manages]
    awaiting = installs_of(link.shop, [standing.workspace.scope for standing in managed])
    claim = find_claim(link.shop)
    workspace_id = claim.workspace.id if claim else None
    return Choices(
        managed=managed,
        requested=[s.workspace.id for s in managed if s.workspace.id in awaiting],
        behind_two_factor=[s.workspace for s in managed if _needs_two_factor(caller, s.workspace)],
        previous=next((s.workspace for s in standings if s.workspace.id == workspace_id), None),
    )


def open_link(link_id: UUID) -> ConnectLink:
    """Returns the link, if it can be used. Raises NotFound, LinkUsed and LinkExpired."""
    link = needed(find_link(link_id), NotFound("No connect link with this id exists."))
    if link.used_at is not None:
        raise LinkUsed()
    if link.has_ended(clock.now()):
        raise LinkExpired()
    return link


def connect(caller: SignedInPerson, link_id: UUID, choice: Choice, changes: Changes) -> Workspace:
    """Connects the link's shop to the chosen workspace, and disconnects it from its former one."""
    if isinstance(choice, ToNewWorkspace):
        link = open_link(link_id)
        workspace = create_workspace(caller, choice.name, changes, store_count=1)
        _connect(link, workspace.scope, changes)
        return workspace
    workspace = _chosen(caller, choice.workspace_id, changes)
    before = _connect(open_link(link_id), workspace.scope, changes)
    if before is None or not before.is_active:
        WorkspaceRepository(workspace.scope).count_stores(changes, +1)
    return workspace


def _chosen(caller: SignedInPerson, workspace_id: UUID, changes: Changes) -> Workspace:
    """The workspace; the commit fails if the caller's membership changes meanwhile."""
    workspaces = WorkspaceRepository(WorkspaceScope(workspace_id))
    standing = workspaces.standing_of(caller.person.id)
    if standing is None:
        message = "You belong to no workspace with this id"
        raise ValidationFailed(errors=[FieldError("/workspaceId", message)])
    if _needs_two_factor(caller, standing.workspace):
        raise TwoFactorRequired()
    if not standing.membership.manages:
        raise RoleTooSmall()
    workspaces.expect_same(changes, standing.membership)
    return standing.workspace


def _needs_two_factor(caller: SignedInPerson, workspace: Workspace) -> bool:
    return workspace.require_two_factor and not caller.person.has_two_factor


def _connect(link: ConnectLink, workspace: WorkspaceScope, changes: Changes) -> Store | None:
    """Connects the shop to the workspace; returns its former store there, None if there is none."""
    claim, stores, grant = find_claim(link.shop), StoreRepository(workspace), _granted(link)
    known = known_store(stores, Platform.SHOPIFY, link.shop)
    store = _connected(link, workspace, known, grant)
    use_link(changes, link)
    keep_while_connected(changes, grant)
    claim_for(changes, store, claim)
    save_connected(stores, store, changes, is_new=known is None)
    if claim is not None and claim.workspace != workspace:
        _disconnect_elsewhere(claim, changes)
    awaited = InstallRepository(workspace).get(link.shop)
    if awaited is not None:
        InstallRepository(workspace).end(changes, awaited)
    queue_first_imports(changes, workspace, store.id)
    if known is not None:
        update_terms(changes, known, store)
        queue_restored(changes, workspace, store.id)
        resend_missed(changes, workspace, store.id)
    return known


def _granted(link: ConnectLink) -> Grant:
    """Returns the tokens of the shop's newest approval, which may be newer than the link's.

    Raises LinkExpired if the shop was disconnected since, or the newest approval grants too little.
    """
    grant = find_grant(link.shop)
    if grant is None or lacking(grant.scopes):
        raise LinkExpired()
    return grant


def _connected(
    link: ConnectLink, workspace: WorkspaceScope, known: Store | None, grant: Grant
) -> Store:
    details = link.details
    locales = locales_of(details, link.scopes, known.locales if known else ())
    return Store(
        id=known.id if known else new_id(),
        workspace=workspace,
        platform=Platform.SHOPIFY,
        name=details.name,
        external_id=link.shop,
        currency=details.currency,
        primary_locale=locales[0].locale,
        status=StoreStatus.ACTIVE,
        connection_status=ConnectionStatus.CONNECTED,
        takes_consent=may_write_consent(grant.scopes),
        makes_coupons=may_make_coupons(grant.scopes),
        admin_url=address_of(link.shop, "/admin"),
        storefront_url=details.storefront_url,
        contact_email=details.contact_email,
        connected_at=clock.now(),
        locales=locales,
    )


@handles(StoreDisconnected)
def _disconnect_elsewhere(claim: ShopClaim, changes: Changes) -> None:
    """Disconnects the shop's former store, and notifies that workspace's owner.

    Raises LostRace where that workspace disconnects it meanwhile.
    """
    store = StoreRepository(claim.workspace).get(claim.store_id)
    if store is None or not store.is_active:
        return
    try:
        disconnect_store(claim.workspace, claim.store_id, changes)
    except StoreDisconnected as error:
        raise LostRace from error
    workspaces = WorkspaceRepository(claim.workspace)
    workspace, membership = workspaces.get(), workspaces.owner()
    owner = find_person(membership.person) if membership else None
    if workspace and owner:
        message = StoreMoved(workspace.name, store.name, claim.shop, clock.now())
        send_email(changes, owner.email, message, account_tags(owner.id))
