"""Batches of the PartiQL statements that the service sends: `INSERT INTO "table" VALUE {...}`.

moto parses a statement character by character over copies of all rows of all tables, and overwrites
an existing row. DynamoDB refuses that statement, as `DuplicateItem`, and carries out the others.
Two statements for one row make it refuse the whole call. Statements of any other form fail here, so
that no code relies on what isn't emulated.
"""

import re
from typing import Any

from moto.dynamodb.exceptions import MockValidationException
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.table import Table

_MAX_STATEMENTS = 25
_INSERT = re.compile(r"""INSERT INTO "([\w.-]+)" VALUE \{(.*)\}""")
_PAIR = re.compile(r"'([^']*)': \?")

type Row = dict[str, dict[str, Any]]


def install() -> None:
    """Replaces moto's statements by those that the service sends."""
    DynamoDBBackend.batch_execute_statement = _execute  # type: ignore[method-assign]


def _execute(self: DynamoDBBackend, statements: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if not 1 <= len(statements) <= _MAX_STATEMENTS:
        raise MockValidationException("Member must have length less than or equal to 25")
    rows = [_row_of(each) for each in statements]
    keys = {(name, *map(str, _key(self.get_table(name), row).values())) for name, row in rows}
    if len(keys) < len(rows):
        raise MockValidationException("Provided list of item keys contains duplicates")
    return [_insert(self, name, row) for name, row in rows]


def _row_of(statement: dict[str, Any]) -> tuple[str, Row]:
    found = _INSERT.fullmatch(statement["Statement"])
    names = _PAIR.findall(found[2]) if found else []
    if not found or ", ".join(f"'{name}': ?" for name in names) != found[2]:
        raise MockValidationException(f"no statement of the service: {statement['Statement']}")
    return found[1], dict(zip(names, statement["Parameters"], strict=True))


def _key(table: Table, row: Row) -> Row:
    return {name: row[name] for name in table.table_key_attrs}


def _insert(backend: DynamoDBBackend, name: str, row: Row) -> dict[str, Any]:
    table = backend.get_table(name)
    if table.get_item(*backend.get_keys_value(table, _key(table, row))) is not None:
        message = "Duplicate primary key exists in table"
        return {"Error": {"Code": "DuplicateItem", "Message": message}, "TableName": name}
    backend.put_item(name, row)
    return {"TableName": name}
