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
    title = "The change is being previewed"
    remedy = "Ask again once its status is `ready`."


class ChangeNotReady(Conflict):
    """Only a ready change can be applied or previewed anew."""

    code = "change_not_ready"
    title = "The change isn't ready"
    remedy = "Wait until its status is `ready`; what is applied or failed needs a new change."


class ChangeApplying(Conflict):
    """What is being applied can't be taken back."""

    code = "change_applying"
    title = "The change is being applied"
    remedy = "Wait until it is applied; another change can bring the former rules back."


class UnknownSource(ValidationFailed):
    """The rules name something that is none of the store's sources."""

    code = "unknown_source"
    title = "The store has no such source"
    remedy = "Use the ids of `sources` in the store's product priority."


class UnknownField(ValidationFailed):
    """The rules name a field that there isn't."""

    code = "unknown_field"
    title = "There is no such field"
    remedy = (
        "Use `product.<field>`, `variant.<field>` or `custom.<key>`, as the reference lists them."
    )
