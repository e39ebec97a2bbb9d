"""What can be wrong with a change of a store's rules."""

from storepost.values.problems import Conflict, ValidationFailed


class ChangeOpen(Conflict):
    """The store has a change that is neither applied nor discarded."""

    code = "change_open"
    title = "The store has an open change"
    remedy = "Apply or delete the store's `openChange` first."


class ChangePreviewing(Conflict):
    """What a change makes of products isn't known yet."""

    code = "change_previewing"
    title = "The change's preview isn't complete"
    remedy = "Ask again once the change's `status` is `ready`."


class ChangeNotReady(Conflict):
    """Only a ready change can be applied or previewed again."""

    code = "change_not_ready"
    title = "The change isn't ready"
    remedy = (
        "Wait until the change's `status` is `ready`. Where it was applied or failed, propose a "
        "new one."
    )


class ChangeStale(Conflict):
    """What the preview showed isn't what the change would make of products now."""

    code = "change_stale"
    title = "The change's preview is out of date"
    remedy = "Refresh the change, look at its products again, then apply it."


class ChangeApplying(Conflict):
    """What is being applied can't be taken back."""

    code = "change_applying"
    title = "The change is being applied"
    remedy = "Wait until the change is applied. Another one can restore the former rules."


class UnknownSource(ValidationFailed):
    """The rules name something that is none of the store's sources."""

    code = "unknown_source"
    title = "The store has no such source"
    remedy = (
        "Use the `id` of a source in `GET /stores/{id}/product-priority`, not the store's or the "
        "feed's own id."
    )


class UnknownField(ValidationFailed):
    """The rules name a field that there isn't."""

    code = "unknown_field"
    title = "The rules name a field that doesn't exist"
    remedy = "Use names such as `product.title`, `variant.price` or `custom.<key>`."
