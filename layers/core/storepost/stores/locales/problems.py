"""What can be wrong with a workspace's locales (docs/interface.md, section 4)."""

from storepost.values.problems import Conflict


class LocaleExists(Conflict):
    """The workspace has the locale."""

    code = "locale_exists"
    title = "The locale exists"
    remedy = "Change the existing locale with `PATCH /locales/{id}`."


class LocaleDefault(Conflict):
    """The workspace's default locale can't be deleted."""

    code = "locale_default"
    title = "The locale is the workspace's default"
    remedy = "Make another locale the default first."


class LocaleFromStore(Conflict):
    """An active store has the locale, so it can't be deleted."""

    code = "locale_from_store"
    title = "A store has the locale"
    remedy = (
        "Remove it from the locales of each store first. Then it becomes `manual` and "
        "can be deleted."
    )


class LocaleLimit(Conflict):
    """A workspace has at most 500 locales."""

    code = "locale_limit"
    title = "Too many locales"
    remedy = "A workspace has at most 500 locales. Delete one that you don't need."
