"""A workspace with a custom store that has coupons."""

import json
from typing import Any
from uuid import UUID

from local import aws
from local.events import pumps
from local.events.pumps import reader_of
from local.functions import invoke
from storepost.coupons.keys import DUE_PARTITION
from storepost.coupons.model import CodeStatus
from storepost.coupons.rows import CodeItem, CouponDueItem, CouponItem
from storepost.coupons.trees import CodeList
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.platform.persistence.sealing import clear_key_cache
from tests.harness.world import CANARY, Answer, World
from tests.people.matching.scenario import Scenario, day

NONE = {"available": 0, "assigned": 0, "used": 0, "expired": 0, "pending": 0, "failed": 0}


def counts(**overrides: int) -> dict[str, int]:
    """How many codes a coupon has of each status."""
    return {**NONE, **overrides}


class Shop(Scenario):
    """The workspace."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.store_id = self.store()
        self._people = 0

    def body(self, **overrides: object) -> dict[str, Any]:
        """A pool of three codes of ten percent, as a request makes it."""
        body = {
            "storeId": self.store_id,
            "name": "Spring",
            "kind": "bulk",
            "quantity": 3,
            "valueType": "percentage",
            "value": 10,
            "validity": {"type": "none"},
            "reissue": "after_use_or_expiry",
            **overrides,
        }
        return {name: value for name, value in body.items() if value is not None}

    def coupon(self, **overrides: object) -> dict[str, Any]:
        """A coupon of the store."""
        answer = self.call("POST", "/coupons", self.body(**overrides))
        assert answer.status == 201, answer.body
        made: dict[str, Any] = answer.json
        return made

    def pool(self, quantity: int = 3, **overrides: object) -> str:
        """The id of a coupon with so many codes."""
        return str(self.coupon(quantity=quantity, **overrides)["id"])

    def personal(self, **overrides: object) -> str:
        """The id of a coupon whose codes are made when they are assigned."""
        return str(self.coupon(kind="personal", quantity=None, **overrides)["id"])

    def import_codes(self, content: str, **overrides: object) -> Answer:
        """Imports a coupon."""
        body = {
            "storeId": self.store_id,
            "name": "Brought",
            "content": content,
            "validity": {"type": "none"},
            "reissue": "every_email",
            **overrides,
        }
        return self.call("POST", "/coupons/import", body)

    def person(self, store: str | None = None) -> str:
        """A customer of a store: their profile's id."""
        self._people += 1
        number = self._people
        answer = self.customer(
            store or self.store_id,
            f"c-{number}",
            email=f"p{number}.{CANARY}@example.com",
            firstName="Pat",
            lastName=f"Number {number}",
        )
        assert answer.status == 201, answer.body
        found = self.get("/profiles", externalId=f"c-{number}", storeId=store or self.store_id)
        return str(found["items"][0]["id"])

    def assign(self, coupon: str, person: str, reference: str | None = None, **more: Any) -> Answer:
        """Assigns a code to somebody."""
        body = {"profileId": person} | ({"reference": reference} if reference else {})
        return self.call("POST", f"/coupons/{coupon}/assign", body, **more)

    def assigned(self, coupon: str, person: str, reference: str | None = None) -> dict[str, Any]:
        """A code that was assigned just now."""
        answer = self.assign(coupon, person, reference)
        assert answer.status == 201, answer.body
        code: dict[str, Any] = answer.json
        return code

    def codes(self, coupon: str, **query: object) -> list[dict[str, Any]]:
        """A coupon's codes, on one page."""
        found = self.get(f"/coupons/{coupon}/codes", pageSize=100, **query)
        assert found["total"] == len(found["items"])
        items: list[dict[str, Any]] = found["items"]
        return items

    def texts(self, coupon: str, **query: object) -> list[str]:
        """The texts of these codes, as people type them."""
        return [code["code"] for code in self.codes(coupon, **query)]

    def counts(self, coupon: str) -> dict[str, int]:
        """How many codes a coupon shows of each status; its list says the same of each."""
        counted: dict[str, int] = self.get(f"/coupons/{coupon}")["codes"]
        shown = [code["status"] for code in self.codes(coupon)]
        for status in set(counted) - {"pending"}:
            assert shown.count(status) == counted[status], (status, counted)
            listed = self.codes(coupon, status=status)
            assert [code["status"] for code in listed] == [status] * counted[status]
        return counted

    def use(self, *codes: str, order: str = "1", at: float = 0, **more: object) -> Answer:
        """Puts an order that carries codes."""
        answer = self.order(self.store_id, order, at, discountCodes=list(codes), **more)
        assert answer.status in {200, 201}, answer.body
        return answer

    def run_expiry(self) -> None:
        """Runs the schedule of every minute, and what it queues."""
        pumps.run_schedule("coupon_expiry")
        self.world.deliver()

    def work(self, coupon: str, tries: int = 1, *, fails: bool = False) -> None:
        """Runs the worker for one coupon in a new container, as a message of any age would."""
        assert self.works(coupon, tries) is not fails

    def works(self, coupon: str, tries: int = 1) -> bool:
        """Does the same; whether that succeeds."""
        clear_key_cache()
        message = {"workspaceId": str(self.workspace.id), "couponId": coupon}
        record = {
            "messageId": "m",
            "receiptHandle": "handle",
            "body": json.dumps(message),
            "attributes": {"ApproximateReceiveCount": str(tries), "MessageGroupId": coupon},
            "messageAttributes": {},
            "eventSource": "aws:sqs",
            "eventSourceARN": f"arn:aws:sqs:{aws.REGION}:123456789012:CouponCodeQueue.fifo",
            "awsRegion": aws.REGION,
        }
        answer = invoke(reader_of("CouponCodeQueue"), {"Records": [record]})
        assert answer["batchItemFailures"] in ([], [{"itemIdentifier": "m"}])
        return not answer["batchItemFailures"]

    def check(self) -> None:
        """Checks what must hold of the rows while there are no writers."""
        rows = self.world.rows(self.workspace.key)
        codes = [row for row in rows if isinstance(row, CodeItem)]
        for coupon in (row for row in rows if isinstance(row, CouponItem)):
            own = {row.id: row.status for row in codes if row.coupon_id == coupon.id}
            tree = CodeList(self.workspace, coupon.id).tree
            assert faults(tree) == []
            _, entries = tree.rows.everything()
            assert {entry.id: entry.values["status"] for entry in entries} == own
        due = {
            row.code_id: row.sk[:24]
            for row in self.world.rows(DUE_PARTITION)
            if isinstance(row, CouponDueItem) and row.code_id
        }
        assert due == {row.id: row.sk_of_end for row in map(_End, codes) if row.is_due}

    def code_rows(self) -> list[CodeItem]:
        """The codes as they are stored."""
        rows = self.world.rows(self.workspace.key)
        return [row for row in rows if isinstance(row, CodeItem)]


class _End:
    """When a code expires."""

    def __init__(self, row: CodeItem) -> None:
        self.id: UUID = row.id
        self.is_due = bool(row.ends_by_itself) and row.status == CodeStatus.ASSIGNED.value
        self.sk_of_end = (
            row.expires_at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
            if row.expires_at
            else None
        )


__all__ = ["Shop", "counts", "day"]
