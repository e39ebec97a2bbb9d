"""What can be wrong with a definition (docs/interface.md, section 10)."""

from storepost.values.problems import ValidationFailed


class SchemaMismatch(ValidationFailed):
    """The definition, or what a patch makes of it, isn't what its kind's schema demands."""

    code = "schema_mismatch"
    title = "The definition doesn't meet its schema"
    remedy = "Mend what `errors` names; `GET /definition-schemas/{kind}` has the schema."
