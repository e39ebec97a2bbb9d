"""What can be wrong with a workspace's locales (docs/interface.md, section 4)."""

from storepost.values.problems import Conflict


class LocaleExists(Conflict):
    """The workspace has the locale."""

    code = "locale_exists"
    title = "The locale exists"
    remedy = "Change the one that is there."


class LocaleDefault(Conflict):
    """The default can't be deleted."""

    code = "locale_default"
    title = "The locale is the default"
    remedy = "Make another locale the default first."


class LocaleFromStore(Conflict):
    """A store has the locale."""

    code = "locale_from_store"
    title = "A store has the locale"
    remedy = "Take it out of the stores' locales; it becomes manual and can be deleted then."


class LocaleLimit(Conflict):
    """A workspace has room for 500 locales."""

    code = "locale_limit"
    title = "Too many locales"
    remedy = "A workspace has room for 500 locales; delete one that nobody needs."
