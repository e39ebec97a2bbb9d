"""Reads members, API keys and change proposals for the messages of events."""

from collections.abc import Mapping
from uuid import UUID

from storepost.accounts.api_keys.schemas import ApiKeySummary
from storepost.accounts.api_keys.service import get_key
from storepost.accounts.members.schemas import MemberSummary
from storepost.accounts.members.service import get_member
from storepost.definitions.proposals.reading import find_proposal, listed_proposal
from storepost.definitions.proposals.schemas import ChangeProposalSummary
from storepost.values.scope import WorkspaceScope
from storepost.values.wire import Shape
from storepost.webhooks.events.resources.reader import Ids, Reader


def _member(scope: WorkspaceScope, membership_id: UUID, _ids: Ids) -> Shape:
    return MemberSummary.of(get_member(scope, membership_id))


def _api_key(scope: WorkspaceScope, key_id: UUID, _ids: Ids) -> Shape:
    return ApiKeySummary.of(get_key(scope, key_id))


def _change_proposal(scope: WorkspaceScope, proposal_id: UUID, _ids: Ids) -> Shape:
    return ChangeProposalSummary.of(listed_proposal(scope, find_proposal(scope, proposal_id)))


READERS: Mapping[str, Reader] = {
    "member": _member,
    "api_key": _api_key,
    "change_proposal": _change_proposal,
}
"""The reader of each kind of resource."""
