"""What can be wrong with a definition (docs/interface.md, section 10)."""

from storepost.values.problems import ValidationFailed


class SchemaMismatch(ValidationFailed):
    """The definition, or what a patch makes of it, isn't what its kind's schema demands."""

    code = "schema_mismatch"
    title = "The definition doesn't meet its schema"
    remedy = "Fix the fields listed in `errors`. `GET /definition-schemas/{kind}` shows the schema."
