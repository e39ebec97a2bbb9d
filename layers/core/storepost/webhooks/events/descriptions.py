"""The sentences by which the reference describes when each type of webhook event is sent."""

from collections.abc import Mapping

DESCRIPTIONS: Mapping[str, str] = {
    "profile.created": "A profile is new: it is the first record of a person, by a request, an "
    "event, an order or a customer of a store.",
    "profile.updated": "A profile's own answer changed: a name, an address, a locale, a consent, "
    "its orders or what it spent. A change of `lastSeenAt` alone isn't sent.",
    "profile.merged": "Two profiles became one. `data` is the profile that remains, and "
    "`mergedProfileId` the one that became part of it: replace that id wherever you have it.",
    "profile.erased": "A person was erased. `data` has the profile's id and the ids of all "
    "profiles that had become part of it: delete what you have of them.",
    "consent.changed": "Somebody subscribed, unsubscribed or was asked to confirm. `data` is the "
    "recorded change, which holds: one that was superseded when it was recorded isn't sent, and "
    "an earlier subscription that holds again is sent again. An unsubscription is also sent where "
    "an import recorded it; after an erasure `data` has ids alone. A write-back to a store has the "
    "same type, but another secret and other `data`.",
    "order.created": "An order is new, or was restored after it was deleted.",
    "order.updated": "An order's own answer changed: a status, an amount, a line, its buyer.",
    "order.cancelled": "An order is cancelled from now on. An endpoint that doesn't ask for this "
    "type gets it as `order.updated`.",
    "order.refunded": "More of an order is refunded than before, in part or in whole. An endpoint "
    "that doesn't ask for this type gets it as `order.updated`.",
    "order.deleted": "A store deleted an order. `data` has ids alone.",
    "product.created": "A product is new, or was restored after it was removed.",
    "product.updated": "A source changed a product, or another source wins for a field.",
    "product.removed": "The last source that had a product no longer has it. The product can still "
    "be read, with `removedAt`.",
    "coupon.created": "A coupon was made or imported. Its codes may still be on their way.",
    "coupon.ended": "A coupon gives no codes out any more: its time is over, or somebody ended it.",
    "coupon_code.assigned": "A person has a code from now on, and can use it.",
    "coupon_code.used": "An order had a code. It is sent again where an earlier order turns out to "
    "have had it, and where the order has another number or another `placedAt`.",
    "coupon_code.expired": "A code can't be used any more: its own time is over, or its coupon "
    "ended before anybody had it.",
    "store.connected": "A store was connected, for the first time or again.",
    "store.disconnected": "A store was disconnected. Its data stays.",
    "store.needs_attention": "A store needs attention: the shop must approve the app again, or the "
    "latest import failed.",
    "store_import.completed": "A batch or a pull of a store is through. Single records may have "
    "problems.",
    "store_import.failed": "A batch or a pull of a store ended early. `error` says why; what it "
    "imported until then stays.",
    "feed_import.completed": "A feed was imported. Single rows may have been skipped.",
    "feed_import.failed": "A feed couldn't be imported. `error` says why.",
    "change_proposal.opened": "Somebody proposed a new definition or a change of one.",
    "change_proposal.approved": "A proposal was approved: what it proposes is in force.",
    "change_proposal.rejected": "A proposal was rejected, or its author withdrew it.",
    "member.joined": "Somebody became a member of the workspace.",
    "member.role_changed": "A member has another role. A transfer of the ownership sends one "
    "message for each of the two members.",
    "member.removed": "Somebody is no member any more: they left, were removed, or deleted their "
    "account. `data` has ids alone.",
    "api_key.created": "An API key was made.",
    "api_key.rotated": "An API key has another secret. `data` never has a secret.",
    "api_key.revoked": "An API key never works again.",
    "suppression.created": "Nothing more is sent to an address: it bounced, its owner complained, "
    "a shop has it as invalid, or somebody entered it. It is also sent where an import recorded "
    "it.",
    "suppression.deleted": "A suppression was lifted, or its end came. The address may have "
    "others. `data` is the suppression as the history has it.",
    "webhook.test": "A test that you asked for by `POST /webhook-endpoints/{id}/test`. Nothing "
    "happened.",
}
"""The description of each type; integrators read them in the reference."""
