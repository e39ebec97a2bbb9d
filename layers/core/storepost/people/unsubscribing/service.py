"""Makes unsubscribe links, and unsubscribes by one."""

from dataclasses import dataclass, field
from functools import partial
from uuid import UUID

from storepost.accounts.workspaces.model import Workspace
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.people.consent.model import ConsentOrigin, ConsentSource, Proof
from storepost.people.consent.statements import ConsentStatement
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.consent_changes.problems import NoEmail
from storepost.people.consent_changes.recording import record_of_address, record_statement
from storepost.people.profiles.consent_summary import identity_of, primary_address
from storepost.people.profiles.model import Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.resolution import KnownIdentities, look_up
from storepost.people.profiles.service import get_profile
from storepost.people.unsubscribing.links import UnsubscribeLink, read_link
from storepost.people.unsubscribing.problems import LinkOver, UnknownLink
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.shopify.claims import find_claim, former_shops
from storepost.stores.stores.model import Platform
from storepost.stores.stores.repository import StoreRepository
from storepost.values.emails import masked
from storepost.values.languages import Language, language_of
from storepost.values.problems import needed
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class Followed:
    """A link that a visitor follows."""

    link: UnsubscribeLink
    sender: str
    """The workspace's name; if that was deleted, the name of one that now has its stores."""
    profile: Profile | None = field(repr=False)
    """The profile that has the address now, else the one that the link was made for. None where
    only workspaces that now have its stores know the address, or exist.
    """
    known: KnownIdentities = field(repr=False)
    """The address's holder in the link's own workspace, as it was read."""
    elsewhere: tuple[WorkspaceScope, ...] = ()
    """Workspaces that now have the stores and know the address, where no profile in the link's own
    workspace does.
    """
    locale: str | None = None
    """The locale of the profile with the address, if known."""

    @property
    def language(self) -> Language | None:
        """Returns the language of emails to the address, if this service has it."""
        return language_of(self.locale)

    @property
    def masked_email(self) -> str:
        """Returns the address, masked so that only its owner recognises it: links get forwarded."""
        return masked(self.link.email)


def make_link(
    workspace: WorkspaceScope, profile_id: UUID, reference: str | None
) -> UnsubscribeLink:
    """Returns a link for the email address that the profile shows. Raises NoEmail."""
    profile = get_profile(workspace, profile_id)
    address = needed(primary_address(profile, Channel.EMAIL), NoEmail())
    return UnsubscribeLink(workspace, profile.id, address.value, reference)


def follow_link(token: str) -> Followed:
    """Returns the target of a token's link; changes nothing. Raises UnknownLink and LinkOver."""
    link = needed(read_link(token), UnknownLink())
    workspace, known = WorkspaceRepository(link.workspace).get(), _known_in(link.workspace, link)
    if workspace is not None:
        holder = known.holder_of(identity_of(link.address))
        profile = holder or ProfileRepository(link.workspace).get(link.profile_id)
        if profile is not None:
            return Followed(link, workspace.name, profile, known, locale=profile.locale)
    successors = successors_of(link.workspace, is_deleted=workspace is None)
    found = ((each, _holder_in(each.scope, link)) for each in successors)
    holders = [(each, holder) for each, holder in found if holder]
    if not holders:
        raise LinkOver()
    locale = next((holder.locale for _, holder in holders if holder.locale), None)
    sender, elsewhere = workspace or holders[0][0], tuple(each.scope for each, _ in holders)
    return Followed(link, sender.name, None, known, elsewhere, locale)


def unsubscribe(token: str, source: ConsentSource, visitor: Proof, changes: Changes) -> Followed:
    """Unsubscribes the link's address, and queues write-backs to every store that knows the person.

    It does so first in the workspaces that stores of the link's workspace have moved to, each in
    its own transaction: after the answer, the person is unsubscribed everywhere. `visitor` has the
    request's own IP address and user agent. An address that is already unsubscribed stays as it is.
    """
    followed = follow_link(token)
    link = followed.link
    proof = Proof(link.reference, visitor.ip, visitor.user_agent)
    statement = ConsentStatement(ConsentState.UNSUBSCRIBED, ConsentOrigin(source, proof=proof))
    elsewhere = followed.elsewhere or [each.scope for each in successors_of(link.workspace)]
    for each in elsewhere:
        commit_anew(
            partial(record_of_address, workspace=each, address=link.address, statement=statement)
        )
    if followed.profile is not None:
        outcome = record_statement(changes, followed.profile, link.address, statement)
        if outcome.recorded:
            _hold_back(changes, followed)
    return followed


def _hold_back(changes: Changes, followed: Followed) -> None:
    """Makes a concurrent writer that claims an address without a profile lose the race.

    That writer then reads the new statement.
    """
    workspace, identity = followed.link.workspace, identity_of(followed.link.address)
    if followed.known.holder_of(identity) is None:
        profiles = ProfileRepository(workspace)
        profiles.hold_back(changes, identity, followed.known.claims.get(identity))


def _holder_in(workspace: WorkspaceScope, link: UnsubscribeLink) -> Profile | None:
    return _known_in(workspace, link).holder_of(identity_of(link.address))


def _known_in(workspace: WorkspaceScope, link: UnsubscribeLink) -> KnownIdentities:
    return look_up(ProfileRepository(workspace), [identity_of(link.address)])


def successors_of(workspace: WorkspaceScope, *, is_deleted: bool = False) -> list[Workspace]:
    """Returns the other workspaces that shops of this one are now connected to, each once.

    The workspace that has the shop now continues the mailings that the former one began.
    """
    shops = [
        store.external_id
        for store in StoreRepository(workspace).all()
        if store.platform is Platform.SHOPIFY and not store.is_active
    ]
    if is_deleted:
        shops += former_shops(workspace)
    claims = (find_claim(shop) for shop in dict.fromkeys(shops))
    found = dict.fromkeys(claim.workspace for claim in claims if claim)
    found.pop(workspace, None)
    successors = (WorkspaceRepository(each).get() for each in found)
    return [each for each in successors if each]
