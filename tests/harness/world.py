"""A world for one test: people, workspaces and keys, requests through the gateway, and the delivery
of streams and queues."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from aws_lambda_powertools.utilities.data_classes.dynamo_db_stream_event import DynamoDBRecord
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.s3.models import s3_backends
from moto.sqs.models import sqs_backends

from local import aws, gateway
from local.aws import mail
from local.aws.stream_records import Record
from local.events import pumps
from storepost.accounts.api_keys.model import ApiKey, Secret
from storepost.accounts.api_keys.repository import ApiKeyRepository
from storepost.accounts.identity.model import KeyScope, Session
from storepost.accounts.identity.repository import (
    ApiKeyTokenItem,
    EmailClaimItem,
    PersonItem,
    SessionItem,
    activate_workspace,
    add_session,
    as_session,
    email_claim_key,
    find_person,
    find_token,
    person_key,
)
from storepost.accounts.identity.tokens import digest, new_api_key, new_session_token, prefix_of_key
from storepost.accounts.workspaces.model import Membership, Role, Workspace
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.item import Item
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.scope import PersonScope, WorkspaceScope
from tests.harness.engines import engine

BASE_URL = "https://api.example.com/v1"
BUCKET = "JobObjects"
CANARY = "canary"
"""Part of every address and name in the tests: no log line may contain it."""


@dataclass(frozen=True)
class Answer:
    """The gateway's answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    def header(self, name: str) -> str | None:
        """Returns a header, ignoring the case of its name."""
        return {k.lower(): v for k, v in self.headers.items()}.get(name.lower())

    @property
    def without_id(self) -> tuple[int, dict[str, str], bytes]:
        """Returns status, headers and body, without the request's id."""
        headers = {n: v for n, v in self.headers.items() if n.lower() != "request-id"}
        return self.status, headers, self.body

    def problem(self) -> tuple[int, str]:
        """Checks that the answer is a problem detail; returns its status and code."""
        assert self.header("content-type") == "application/problem+json"
        document = self.json
        assert set(document) <= {"type", "title", "status", "detail", "code", "errors"}
        assert document["status"] == self.status
        assert document["type"].startswith(f"{BASE_URL}/problems/")
        assert document["title"]
        assert document["detail"]
        return self.status, document["code"]

    def error_paths(self) -> list[str]:
        """The paths of a 422's errors."""
        assert self.problem() == (422, "validation")
        assert all(error["message"] for error in self.json["errors"])
        return [error["path"] for error in self.json["errors"]]


def send(
    method: str,
    path: str,
    *,
    token: str | None = None,
    json_body: object = None,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    query: Mapping[str, object] | None = None,
    key: str | None = None,
    source_ip: str = "203.0.113.7",
) -> Answer:
    """Sends a request through the gateway; `key` is the idempotency key."""
    sent = dict(headers or {})
    if token:
        sent["authorization"] = f"Bearer {token}"
    if key is not None:
        sent["idempotency-key"] = key
    if json_body is not None:
        body = json.dumps(json_body).encode()
    if body is not None:
        sent.setdefault("content-type", "application/json")
    event = gateway.http_event(
        method,
        f"/v1{path}",
        query=urlencode(query or {}),
        headers=sent,
        body=body or b"",
        source_ip=source_ip,
    )
    answer = gateway.handle(event)
    return Answer(answer.status, answer.headers, answer.body)


@dataclass(frozen=True)
class Someone:
    """A signed-in person of the world."""

    id: UUID
    name: str
    email: str
    token: str
    session_id: UUID

    def call(self, method: str, path: str, json_body: object = None, **more: Any) -> Answer:
        """Sends a request of theirs; `more` is what `send` takes."""
        return send(method, path, token=self.token, json_body=json_body, **more)


Email = mail.Email
"""An email as SES received it."""


@dataclass
class World:
    """The world outside the service, which a test drives."""

    _people: int = 0
    _stream: pumps.StreamPump = field(default_factory=pumps.StreamPump)

    call = staticmethod(send)

    def person(self, name: str | None = None, *, verified: bool = True) -> Someone:
        """Creates a signed-in person without a workspace."""
        self._people += 1
        name = name or f"Person {self._people} {CANARY}"
        email = f"person{self._people}.{CANARY}@example.com"
        identifier, now = new_id(), clock.now()
        changes = Changes()
        changes.create(
            PersonItem(
                *person_key(PersonScope(identifier)),
                id=str(identifier),
                name=name,
                email=email,
                email_verified_at=now if verified else None,
                password_hash="no password verifies against this",
                created_at=now,
            )
        )
        changes.create(EmailClaimItem(*email_claim_key(email), person_id=str(identifier)))
        changes.commit()
        token, session_id = self.sign_in(identifier)
        return Someone(identifier, name, email, token, session_id)

    def know_people(self, number: int) -> None:
        """Sets the number of people that another world made and that a checkpoint restored."""
        self._people = number

    def sign_in(self, person_id: UUID, workspace: WorkspaceScope | None = None) -> tuple[str, UUID]:
        """Creates another session of the person; returns its token and id."""
        token, now = new_session_token(), clock.now()
        person = find_person(PersonScope(person_id))
        assert person is not None
        session = Session(
            id=new_id(),
            person_id=person_id,
            browser="Firefox",
            os="Linux",
            ip_address="203.0.113.7",
            signed_in_at=now,
            last_active_at=now,
            expires_at=now + timedelta(days=30),
            workspace_id=workspace.id if workspace else None,
            token_digest=digest(token),
            epoch=person.sessions_epoch,
        )
        changes = Changes()
        add_session(changes, session)
        changes.commit()
        return token, session.id

    def workspace(self, owner: Someone, name: str | None = None) -> WorkspaceScope:
        """Creates a workspace of the owner, active in the owner's session."""
        identifier = new_id()
        slug = f"ws-{identifier.hex[:8]}"
        workspace = Workspace(identifier, name or f"Shop {slug} {CANARY}", slug, False, 0)
        changes = Changes()
        WorkspaceRepository(workspace.scope).add(changes, workspace)
        changes.commit()
        self.join(owner, workspace.scope, Role.OWNER)
        return workspace.scope

    def owner(self) -> Someone:
        """Creates a person with a workspace of their own, active in their session."""
        person = self.person()
        self.workspace(person)
        return person

    def join(self, someone: Someone, workspace: WorkspaceScope, role: Role) -> Membership:
        """Makes somebody a member, with the workspace active in their session."""
        membership = Membership(new_id(), workspace.id, someone.id, role, clock.now(), None)
        changes = Changes()
        WorkspaceRepository(workspace).add_member(changes, membership)
        changes.commit()
        self.activate(someone, workspace)
        return membership

    def unseating(
        self, admin: Someone, workspace: WorkspaceScope, *, demoted: bool
    ) -> Callable[[Changes], None]:
        """Returns a part of a unit of work that demotes an admin to a member, or removes them."""
        members, membership = WorkspaceRepository(workspace), self.membership(admin, workspace)
        assert membership is not None
        if demoted:
            return lambda changes: members.change_role(changes, membership, Role.MEMBER)
        return lambda changes: members.delete_member(changes, membership)

    def activate(self, someone: Someone, workspace: WorkspaceScope | None) -> None:
        """Sets or clears the active workspace of the person's session."""
        session = find_token(digest(someone.token))
        assert isinstance(session, SessionItem)
        changes = Changes()
        activate_workspace(changes, as_session(session), workspace.id if workspace else None)
        changes.commit()

    def membership(self, someone: Someone, workspace: WorkspaceScope) -> Membership | None:
        """Returns somebody's stored membership in the workspace."""
        return WorkspaceRepository(workspace).membership_of(someone.id)

    def turn_two_factor_on(self, someone: Someone) -> None:
        """Turns on the person's second step by email."""
        item = PersonItem.get(*person_key(PersonScope(someone.id)), consistent_read=True)
        item.email_codes_since = clock.now()
        changes = Changes()
        changes.save(item)
        changes.commit()

    @contextmanager
    def meanwhile(self, action: Callable[[Changes], object]) -> Iterator[None]:
        """Commits another unit of work after the next request's reads and before its writes."""
        plain = Changes.commit

        def commit_second(changes: Changes) -> None:
            Changes.commit = plain  # type: ignore[method-assign]
            commit_anew(action)
            plain(changes)

        Changes.commit = commit_second  # type: ignore[assignment, method-assign]
        try:
            yield
            assert Changes.commit is plain, "nothing was committed"
        finally:
            Changes.commit = plain  # type: ignore[method-assign]

    def require_two_factor(self, workspace: WorkspaceScope) -> None:
        """Makes the workspace require two-factor, even if members don't have it on."""
        changes = Changes()
        WorkspaceRepository(workspace).update(changes, name=None, require_two_factor=True)
        changes.commit()

    def member(self, workspace: WorkspaceScope, role: Role = Role.MEMBER) -> Someone:
        """Creates a person who is a member of the workspace."""
        someone = self.person()
        self.join(someone, workspace, role)
        return someone

    def api_key(
        self, workspace: WorkspaceScope, scope: KeyScope, maker: Someone | None = None
    ) -> str:
        """Creates a key of the workspace; returns its secret."""
        secret = new_api_key()
        key = ApiKey(
            id=new_id(),
            workspace_id=workspace.id,
            name=f"Key {prefix_of_key(secret)} {CANARY}",
            scope=scope,
            prefix=prefix_of_key(secret),
            maker_id=maker.id if maker else None,
            created_at=clock.now(),
            used_before=None,
            rotated_at=None,
            revoked_at=None,
            secrets=(Secret(digest(secret), None),),
        )
        changes = Changes()
        ApiKeyRepository(workspace).add(changes, key)
        changes.commit()
        return secret

    def store(self, by: Someone, **fields: object) -> str:
        """Connects a custom store in somebody's active workspace; returns its id."""
        body = {
            "platform": "custom",
            "name": f"Store {CANARY}",
            "externalId": new_id().hex,
            "currency": "EUR",
            "primaryLocale": "de-AT",
            "adminUrl": "https://admin.example.com/",
            **fields,
        }
        answer = self.call("POST", "/stores", token=by.token, json_body=body)
        assert answer.status == 201, answer.body
        return str(answer.json["id"])

    def key_of(self, secret: str) -> ApiKey:
        """Returns the key that a secret belongs to."""
        token = find_token(digest(secret))
        assert isinstance(token, ApiKeyTokenItem)
        key = ApiKeyRepository(WorkspaceScope(token.workspace_id)).get(token.key_id)
        assert key is not None
        return key

    def deliver(self) -> None:
        """Delivers all stream records and messages, until none is left."""
        while self._stream.pump() + sum(pumps.pump_queue(q) for q in pumps.read_queues()):
            pass

    def deliver_outbox(self) -> None:
        """Delivers the stream's records to all its readers, but no message of a queue."""
        while self._stream.pump():
            pass

    def records_for(self, job: str) -> list[Record]:
        """Returns the undelivered stream records of one reader, oldest first."""
        return self._reader(job).waiting()

    def waiting_in_stream(self) -> list[Item]:
        """Returns the rows for which the relay has yet to send to a queue, oldest first."""
        waiting = self.records_to_queue()
        return [Item.from_raw_data(each["dynamodb"]["NewImage"]) for each in waiting]

    def records_to_queue(self) -> list[Record]:
        """Returns the undelivered records for which the relay sends something, oldest first."""
        from functions.workers.outbox_relay.handler import outgoing  # noqa: PLC0415 - as it is run

        return [each for each in self._relay.waiting() if outgoing(DynamoDBRecord(each))]

    def relay(self) -> None:
        """Delivers the stream's records to the relay only."""
        while self._relay.pump():
            pass

    def _reader(self, job: str) -> pumps.StreamReader:
        [reader] = [each for each in self._stream.readers if each.function.job == job]
        return reader

    @property
    def _relay(self) -> pumps.StreamReader:
        return self._reader("outbox_relay")

    def sweep(self) -> None:
        """Runs the outbox's sweep now."""
        pumps.run_schedule("outbox_sweep")

    def lose_stream(self) -> None:
        """Deletes the undelivered records of the table's stream."""
        engine().lose_streams()
        self._stream = pumps.StreamPump()

    def emails(self) -> list[Email]:
        """Delivers everything; returns all emails that SES received so far, oldest first."""
        self.deliver()
        return mail.sent_emails()

    def advance(self, **by: float) -> None:
        """Advances the service's clock, by `timedelta`'s parameters."""
        clock.advance(timedelta(**by))

    def rows(self, prefix: str = "") -> list[Item]:
        """Returns the table's rows whose partition key begins with `prefix`."""
        return [row for row in Item.scan() if row.pk.startswith(prefix)]

    def objects(self) -> dict[str, bytes]:
        """Returns the S3 objects of long jobs, by name."""
        s3 = aws.client("s3")
        stored = s3.list_objects_v2(Bucket=BUCKET).get("Contents", [])
        return {
            each["Key"]: s3.get_object(Bucket=BUCKET, Key=each["Key"])["Body"].read()
            for each in stored
        }

    def delete_objects(self, instead: bytes | None = None) -> None:
        """Deletes the S3 objects of long jobs, or replaces their content."""
        names, s3 = list(self.objects()), aws.client("s3")
        for name in names:
            if instead is None:
                s3.delete_object(Bucket=BUCKET, Key=name)
            else:
                s3.put_object(Bucket=BUCKET, Key=name, Body=instead)

    def queue_depth(self, queue: str) -> int:
        """Returns the number of a queue's messages, waiting or in flight."""
        return sum(aws.queue_depth(queue).values())

    def checkpoint(self, *, deliver: bool = True) -> Callable[[], None]:
        """Stores the current rows, objects and time; returns a function that restores only these.

        It serves tests that start from the same state very often. Undelivered records and messages
        are delivered first, or lost.
        """
        if deliver:
            self.deliver()
        stored, offset = engine().stored(), clock.offset()
        objects = self.objects()

        def restore() -> None:
            self.close()
            clock.advance(offset)
            for name, content in objects.items():
                aws.client("s3").put_object(Bucket=BUCKET, Key=name, Body=content)
            engine().put_back(stored, streams=False)

        return restore

    def close(self) -> None:
        """Empties AWS and resets the clock."""
        clock.reset()
        engine().empty()
        self._stream = pumps.StreamPump()
        for queue in sqs_backends[DEFAULT_ACCOUNT_ID][aws.REGION].queues.values():
            queue._messages = []
            queue.pending_messages.clear()
            queue.deleted_messages.clear()
        s3_backends[DEFAULT_ACCOUNT_ID]["aws"].buckets[BUCKET].keys.clear()
        mail.ses().sent_messages.clear()
