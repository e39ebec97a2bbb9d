"""The one client: what it leaves out of botocore's work changes nothing that it gives back."""

import importlib
import json
import pkgutil
from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from botocore.model import Shape
from botocore.parsers import JSONParser
from botocore.session import get_session
from hypothesis import given
from hypothesis import strategies as st
from pynamodb.attributes import BinarySetAttribute

import storepost
from storepost.platform.persistence.item import Item, Row, connection

NUMBERS = st.integers().map(str)
SCALARS = st.one_of(
    st.fixed_dictionaries({"S": st.text()}),
    st.fixed_dictionaries({"N": NUMBERS}),
    st.fixed_dictionaries({"BOOL": st.booleans()}),
    st.fixed_dictionaries({"B": st.binary().map(lambda data: b64encode(data).decode())}),
    st.just({"NULL": True}),
    st.fixed_dictionaries({"SS": st.lists(st.text(min_size=1), min_size=1)}),
    st.fixed_dictionaries({"NS": st.lists(NUMBERS, min_size=1)}),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.fixed_dictionaries({"L": st.lists(inner, max_size=3)}),
        st.fixed_dictionaries({"M": st.dictionaries(st.text(min_size=1), inner, max_size=3)}),
    ),
    max_leaves=6,
)
ITEMS = st.dictionaries(st.text(min_size=1), VALUES, max_size=4)
ANSWERS = {
    "GetItem": st.fixed_dictionaries({}, optional={"Item": ITEMS}),
    "Query": st.fixed_dictionaries(
        {
            "Count": st.integers(0, 3),
            "ScannedCount": st.integers(0, 3),
            "Items": st.lists(ITEMS, max_size=3),
        },
        optional={"LastEvaluatedKey": ITEMS},
    ),
    "BatchGetItem": st.fixed_dictionaries(
        {
            "Responses": st.dictionaries(st.text(min_size=1), st.lists(ITEMS, max_size=3)),
            "UnprocessedKeys": st.dictionaries(
                st.text(min_size=1),
                st.fixed_dictionaries({"Keys": st.lists(ITEMS), "ConsistentRead": st.booleans()}),
                max_size=1,
            ),
        }
    ),
    "UpdateItem": st.fixed_dictionaries({}, optional={"Attributes": ITEMS}),
    "TransactWriteItems": st.fixed_dictionaries(
        {},
        optional={
            "ConsumedCapacity": st.lists(
                st.fixed_dictionaries(
                    {"TableName": st.text(), "CapacityUnits": st.floats(0, 1e6)},
                )
            )
        },
    ),
}
FAILED = {
    "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
    "Message": "Transaction cancelled",
    "CancellationReasons": [
        {"Code": "None"},
        {
            "Code": "ConditionalCheckFailed",
            "Message": "The conditional request failed",
            "Item": {"pk": {"S": "a"}},
        },
    ],
}


@cache
def shape_of(operation: str) -> Shape:
    """What botocore knows of an operation's answers."""
    shape = get_session().get_service_model("dynamodb").operation_model(operation).output_shape
    assert shape is not None
    return shape


def parsed(parser: JSONParser, answer: object, operation: str, status: int = 200) -> Any:
    """What a parser makes of an answer."""
    response = {
        "body": json.dumps(answer).encode(),
        "headers": {"x-amzn-RequestId": "one", "Content-Type": "application/x-amz-json-1.0"},
        "status_code": status,
    }
    return parser.parse(response, shape_of(operation))


def ours() -> JSONParser:
    """The parser of the one client."""
    parser = connection.session.get_component("response_parser_factory").create_parser("json")
    assert isinstance(parser, JSONParser)
    return parser


@pytest.mark.parametrize("operation", ANSWERS)
@given(data=st.data())
def test_an_answer_is_what_botocore_makes_of_it(operation: str, data: st.DataObject) -> None:
    answer = data.draw(ANSWERS[operation])
    assert parsed(ours(), answer, operation) == parsed(JSONParser(), answer, operation)


def test_so_is_an_error() -> None:
    theirs = parsed(JSONParser(), FAILED, "TransactWriteItems", status=400)
    assert theirs["Error"]["Code"] == "TransactionCanceledException"
    assert parsed(ours(), FAILED, "TransactWriteItems", status=400) == theirs


def test_no_row_has_a_set_of_binaries() -> None:
    """Botocore's parser makes bytes of them; the client's leaves them as base64."""
    for module in pkgutil.walk_packages(storepost.__path__, "storepost."):
        importlib.import_module(module.name)
    rows = list(below(Row))
    assert len(rows) > 20
    for row in rows:
        assert not [a for a in row.get_attributes().values() if isinstance(a, BinarySetAttribute)]


def below(model: type[Row]) -> Iterator[type[Row]]:
    """Every kind of row under one."""
    for child in model.__subclasses__():
        yield child
        yield from below(child)


def test_the_tables_rows_share_the_client() -> None:
    made = connection.client
    assert all(row._get_connection().connection.client is made for row in below(Item))
