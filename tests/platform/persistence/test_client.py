"""The one client: the parts of botocore that it leaves out don't change its results."""

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
from botocore.serialize import create_serializer
from botocore.session import get_session
from hypothesis import given
from hypothesis import strategies as st
from pynamodb.attributes import BinarySetAttribute

import storepost
from storepost.platform.persistence.item import Item, connection
from storepost.platform.persistence.row import Row
from storepost.values import clock

NUMBERS = st.integers().map(str)
PLAIN_SCALARS = st.one_of(
    st.fixed_dictionaries({"S": st.text()}),
    st.fixed_dictionaries({"N": NUMBERS}),
    st.fixed_dictionaries({"BOOL": st.booleans()}),
    st.just({"NULL": True}),
    st.fixed_dictionaries({"SS": st.lists(st.text(min_size=1), min_size=1)}),
    st.fixed_dictionaries({"NS": st.lists(NUMBERS, min_size=1)}),
)
type Value = dict[str, Any]


def values(scalars: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    """Values of attributes, lists and maps among them."""
    return st.recursive(
        scalars,
        lambda inner: st.one_of(
            st.fixed_dictionaries({"L": st.lists(inner, max_size=3)}),
            st.fixed_dictionaries({"M": st.dictionaries(st.text(min_size=1), inner, max_size=3)}),
        ),
        max_leaves=6,
    )


ENCODED = st.fixed_dictionaries({"B": st.binary().map(lambda data: b64encode(data).decode())})
VALUES = values(PLAIN_SCALARS | ENCODED)
ITEMS = st.dictionaries(st.text(min_size=1), VALUES, max_size=4)
STORED = values(PLAIN_SCALARS | st.fixed_dictionaries({"B": st.binary()}))
ROWS = st.dictionaries(st.text(min_size=1), STORED, max_size=4)
CALLS = {
    "GetItem": st.fixed_dictionaries(
        {"TableName": st.text(), "Key": ROWS, "ConsistentRead": st.booleans()}
    ),
    "BatchGetItem": st.fixed_dictionaries(
        {
            "RequestItems": st.dictionaries(
                st.text(),
                st.fixed_dictionaries({"Keys": st.lists(ROWS, max_size=3)}),
                max_size=1,
            )
        }
    ),
    "Query": st.fixed_dictionaries(
        {
            "TableName": st.text(),
            "KeyConditionExpression": st.text(),
            "ExpressionAttributeValues": ROWS,
            "Limit": st.integers(1, 1_000),
        },
        optional={"ExclusiveStartKey": ROWS},
    ),
    "TransactWriteItems": st.fixed_dictionaries(
        {
            "ClientRequestToken": st.text(),
            "TransactItems": st.lists(
                st.fixed_dictionaries(
                    {"Put": st.fixed_dictionaries({"TableName": st.text(), "Item": ROWS})}
                ),
                max_size=3,
            ),
        }
    ),
}
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
    """Botocore's shape of an operation's answers."""
    shape = get_session().get_service_model("dynamodb").operation_model(operation).output_shape
    assert shape is not None
    return shape


def parsed(parser: JSONParser, answer: object, operation: str, status: int = 200) -> Any:
    """The parser's result for an answer."""
    response = {
        "body": json.dumps(answer).encode(),
        "headers": {"x-amzn-RequestId": "one", "Content-Type": "application/x-amz-json-1.0"},
        "status_code": status,
    }
    return parser.parse(response, shape_of(operation))


def client() -> Any:
    """The one client, with what botocore keeps to itself."""
    return connection.client


def own_parser() -> JSONParser:
    """The parser of the one client."""
    parser = connection.session.get_component("response_parser_factory").create_parser("json")
    assert isinstance(parser, JSONParser)
    return parser


@pytest.mark.parametrize("operation", ANSWERS)
@given(data=st.data())
def test_response_is_parsed_as_by_botocore(operation: str, data: st.DataObject) -> None:
    answer = data.draw(ANSWERS[operation])
    assert parsed(own_parser(), answer, operation) == parsed(JSONParser(), answer, operation)


@pytest.mark.parametrize("operation", CALLS)
@given(data=st.data())
def test_request_is_serialized_as_by_botocore(operation: str, data: st.DataObject) -> None:
    parameters = data.draw(CALLS[operation])
    model = get_session().get_service_model("dynamodb").operation_model(operation)
    serializer: Any = create_serializer("json", include_validation=False)
    expected = serializer.serialize_to_request(parameters, model)
    assert client()._serializer.serialize_to_request(parameters, model) == expected


def test_unsupported_attribute_value_is_refused() -> None:
    model = get_session().get_service_model("dynamodb").operation_model("PutItem")
    with pytest.raises(TypeError, match="datetime is no value of an attribute"):
        client()._serializer.serialize_to_request({"Item": {"a": clock.now()}}, model)


def test_endpoint_is_cached_and_equals_botocores() -> None:
    ruleset = client()._ruleset_resolver
    model = client().meta.service_model.operation_model("GetItem")
    arguments = {"operation_model": model, "call_args": {"TableName": "t"}, "request_context": {}}
    expected = type(ruleset).construct_endpoint(ruleset, **arguments)
    own_parser = ruleset.construct_endpoint(**arguments)
    assert (own_parser.url, own_parser.properties, own_parser.headers) == (
        expected.url,
        expected.properties,
        expected.headers,
    )
    assert ruleset.construct_endpoint(**arguments) is own_parser


def test_error_is_parsed_as_by_botocore() -> None:
    expected = parsed(JSONParser(), FAILED, "TransactWriteItems", status=400)
    assert expected["Error"]["Code"] == "TransactionCanceledException"
    assert parsed(own_parser(), FAILED, "TransactWriteItems", status=400) == expected


def test_no_row_has_a_binary_set_attribute() -> None:
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


def test_all_rows_share_one_client() -> None:
    made = connection.client
    assert all(row._get_connection().connection.client is made for row in below(Item))
