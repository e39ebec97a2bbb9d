"""A workspace with rows of each kind, and its owner, who has a password."""

import json
from datetime import timedelta
from typing import Any

from local import aws
from local.aws import mail, ses_events
from local.events.pumps import reader_of
from local.functions import invoke
from storepost.accounts.identity.model import KeyScope
from storepost.accounts.identity.passwords import hash_password
from storepost.accounts.identity.repository import PersonItem, person_key
from storepost.accounts.workspaces.model import Role
from storepost.people.consent.states import Channel
from storepost.people.deliverability.service import suppress
from storepost.people.suppressions.model import SuppressionReason, SuppressionSource
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.ids import short
from storepost.values.scope import PersonScope
from tests.accounts.sign_in.accounts import PASSWORD
from tests.catalog.products.sample import product
from tests.catalog.products.source_layers import feed, says, write_layers
from tests.catalog.products.state import store_of
from tests.definitions.proposals.proposal_scenario import SEGMENT
from tests.harness.world import CANARY, Answer, World
from tests.lifecycle.erasures.scenario import ANN, Place, raw_rows
from tests.orders.sample import order


class Home(Place):
    """A workspace that its owner can delete."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        changes = Changes()
        row = PersonItem(*person_key(PersonScope(self.owner.id)))
        changes.update(row, [PersonItem.password_hash.set(hash_password(PASSWORD))])
        changes.commit()

    def fill(self) -> None:
        """Members, keys, invitations, locales, stores, people, orders, imports, erased people."""
        self.admin = self.world.member(self.workspace, Role.ADMIN)
        self.key = self.world.api_key(self.workspace, KeyScope.WRITE, self.owner)
        self._done(
            "POST", "/invitations", {"email": f"guest.{CANARY}@example.com", "role": "member"}
        )
        self._done("POST", "/locales", {"code": "nl-NL"})
        self._done("PUT", "/consent/settings", {"evidenceRetentionDays": 30})
        gone = self.upsert(email=f"gone.{CANARY}@example.com")["id"]
        self.consent(gone, "subscribed", evidence={"text": "I want news by email."})
        self.erase(gone)
        self.world.deliver()
        person = self.somebody()
        form = {"proof": {"reference": "form-2026"}}
        self._done("POST", f"/profiles/{person}/opt-in-requests", form)
        self.order(self.shop, "5")
        self._done("DELETE", f"/stores/{self.shop}/orders/5")
        self.stock()
        self._coupons()
        self.world.deliver()  # before the store has an address for write-backs
        [*_, email] = (each for each in self.world.emails() if each.tags["kind"] == "opt_in")
        mail.say([ses_events.delivery(mail.sent_email(email))])
        self.world.deliver()
        hook = {"url": "https://8.8.8.8/consent"}  # public, and nothing is sent to it
        self._done("PUT", f"/stores/{self.shop}/write-back", hook)
        batch = {"customers": [{"externalId": "z"}], "orders": []}
        self._done("POST", f"/stores/{self.shop}/batches", batch)
        self.upsert(anonymousId="b")
        self.define()
        self._suppressions()

    def _suppressions(self) -> None:
        """One of a known person, one that ends, one that was lifted, one of an erased address."""
        addresses = [f"{name}.{CANARY}@example.com" for name in ("gone", "stranger", "lifted")]
        for address in (ANN, *addresses):
            row = {"channel": "email", "address": address, "reason": "manual"}
            made = self._done("POST", "/suppressions", row).json
        self._done("DELETE", f"/suppressions/{made['id']}")
        now, reason = clock.now(), SuppressionReason.HARD_BOUNCE
        ends = now + timedelta(days=180)
        source, channel = SuppressionSource.SES, Channel.EMAIL
        suppress(self.workspace, channel, addresses[1], reason, source, at=now, ends_at=ends)

    def _coupons(self) -> None:
        """One whose codes expire, one that is still to be stored, and a code of no coupon."""
        buyer = self.ids("/profiles", storeId=self.shop)[0]
        self._done("POST", f"/coupons/{self.pool(90)}/assign", {"profileId": buyer})
        until = {"type": "until", "endsAt": "2099-01-01T00:00:00Z"}
        body = {"storeId": self.shop, "name": "Gifts", "content": "A1", "validity": until}
        self._done("POST", "/coupons/import", {**body, "reissue": "every_email"})
        self.order(self.shop, "7", discountCodes=["SOMEBODY-ELSES"])

    def pool(self, quantity: int) -> str:
        """The id of a coupon with so many codes, most of which are still to be stored."""
        terms = {"valueType": "percentage", "value": 5, "reissue": "every_email"}
        pool = {"storeId": self.shop, "name": "Sale", "kind": "bulk", "quantity": quantity, **terms}
        validity = {"type": "days", "days": 3}
        made = self._done("POST", "/coupons", {**pool, "validity": validity})
        return str(made.json["id"])

    def define(self) -> None:
        """A definition of two versions, and an open proposal."""
        new = {"kind": "segment", "name": "Buyers", "summary": "They buy", "definition": SEGMENT}
        proposal = self._done("POST", "/change-proposals", new).json
        made = self._done("POST", f"/change-proposals/{proposal['id']}/approve").json
        change = {
            "definitionId": made["definitionId"],
            "baseVersionId": made["resultVersionId"],
            "summary": "Other words",
            "patch": [{"op": "add", "path": "/description", "value": "Buys"}],
        }
        proposal = self._done("POST", "/change-proposals", change).json
        self._done("POST", f"/change-proposals/{proposal['id']}/approve")
        self._done("POST", "/change-proposals", new)

    def stock(self) -> None:
        """Products, one of them removed, what was sold, a feed, changes of rules."""
        for external_id in ("p-1", "p-2"):
            self._done("PUT", f"/stores/{self.shop}/products/{external_id}", product())
        self._done("DELETE", f"/stores/{self.shop}/products/p-2")
        self._done("PUT", f"/stores/{self.shop}/orders/6", order(customer=None))
        source = feed(store_of(self.world, self.shop))
        write_layers(source, says("p-1", title="Other"))
        rules = {"order": [str(source.source)], "fields": {}}
        self._done("POST", f"/stores/{self.shop}/product-priority/changes", rules)
        self.world.deliver()

    def _done(self, method: str, path: str, body: Any = None) -> Answer:
        """The answer, which must be no problem: otherwise there would be less to delete."""
        answer = self.call(method, path, body)
        assert 200 <= answer.status < 300, (method, path, answer)
        return answer

    def delete(self, **more: Any) -> Answer:
        """Requests the deletion."""
        path = f"/workspaces/{self.workspace.id}/delete"
        return self.call("POST", path, {"password": PASSWORD}, **more)

    def remove(self) -> bool:
        """Runs the worker, as a message of any age would; whether the message is to come again."""
        record = {
            "messageId": "m",
            "receiptHandle": "handle",
            "body": json.dumps({"workspaceId": str(self.workspace.id)}),
            "attributes": {"ApproximateReceiveCount": "1"},
            "messageAttributes": {},
            "eventSource": "aws:sqs",
            "eventSourceARN": f"arn:aws:sqs:{aws.REGION}:123456789012:WorkspaceDeletionQueue",
            "awsRegion": aws.REGION,
        }
        answer = invoke(reader_of("WorkspaceDeletionQueue"), {"Records": [record]})
        return bool(answer["batchItemFailures"])

    def is_removed(self) -> None:
        """Runs the worker to its end, and checks that nothing is left."""
        self.remove()
        self.world.advance(minutes=11)
        assert not self.remove()
        assert self.left() == []

    def left(self) -> list[str]:
        """The rows of the one table that name the workspace, in any partition."""
        names = (str(self.workspace.id), short(self.workspace.id))
        rows = [row for row in raw_rows() if "pk" in row]
        return [
            f"{row['pk']} {row['sk']}"
            for row in rows
            if any(name in json.dumps(row, default=str) for name in names)
            and not row["pk"]["S"].startswith("due#outbox#")
            # A session of the workspace, and a person's last workspace, name it and lead nowhere;
            # its unsubscribe links lead to the workspaces that have its shops.
            and row.get("kind", {}).get("S") not in {"session", "person", "former_shop"}
        ]


__all__ = ["Home"]
