"""The Admin API documents, and their check against Shopify's own schema."""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from graphql import (
    GraphQLDirective,
    GraphQLObjectType,
    build_schema,
    get_directive_values,
    parse,
    validate,
)

from local.shopify import admin, checking
from local.shopify.checking import Shopifys, findings, of_document, of_schema, template_scopes
from storepost.shopify import documents
from storepost.shopify.documents import FOLDER, Document
from storepost.shopify.scopes import REQUIRED, covers, lacking

FILES = sorted(FOLDER.glob("*.graphql"))
DECLARED = [value for value in vars(documents).values() if isinstance(value, Document)]

# A Shopify schema like the pretend one's, with something more.
THEIRS = """
type QueryRoot { shop: Shop!  old: Int @deprecated(reason: "Gone")  orders(first: Int!): [Order!]! }
type Mutation { close(input: CloseInput!): Payload }
type Shop { name: String!  plan(of: String = "x", by: Int): Plan! }
type Order { id: ID! }
type Payload { ok: Boolean! }
enum Plan { BASIC  PLUS }
interface Node { id: ID! }
input CloseInput { id: ID!  why: String }
union Thing = Shop | Order
schema { query: QueryRoot mutation: Mutation }
"""
OURS = "directive @needs(anyOf: [String!]!) on FIELD_DEFINITION | OBJECT" + THEIRS.replace(
    "[Order!]!", '[Order!]! @needs(anyOf: ["read_x"])'
).replace("type Order", 'type Order @needs(anyOf: ["read_orders", "read_quick_sale"])')
SCOPES = {("Order", None): {"read_orders", "read_quick_sale"}, ("QueryRoot", "orders"): {"read_x"}}


@pytest.fixture
def theirs() -> Shopifys:
    return Shopifys(build_schema(THEIRS, assume_valid=True), dict(SCOPES))


class TestOwnDocuments:
    """The documents of the code."""

    def test_every_graphql_file_is_declared(self) -> None:
        assert sorted(d.name for d in DECLARED) == [path.stem for path in FILES]

    @pytest.mark.parametrize("document", DECLARED, ids=lambda document: document.name)
    def test_document_is_valid_in_simulated_schema(self, document: Document) -> None:
        assert validate(admin.schema(), parse(document.text)) == []
        assert document.is_mutation is document.text.startswith("mutation ")

    @pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
    def test_template_requests_scopes_of_document(self, path: Path) -> None:
        """By the pretend Shopify's schema; `make check-shopify` checks by Shopify's own."""
        schema = admin.schema()
        needed = {
            (kind.name, field): any_of
            for kind in schema.type_map.values()
            if isinstance(kind, GraphQLObjectType)
            for field in kind.fields
            for any_of in admin.needed_scopes(kind, field)
        }
        ours = Shopifys(schema, needed)
        assert list(of_document(path.stem, path.read_text(), ours, set(template_scopes()))) == []

    def test_template_requests_required_scopes(self) -> None:
        assert lacking(template_scopes()) == []
        assert all(covers(template_scopes(), s) for s in (*REQUIRED, "write_customers"))


class TestDocumentCheck:
    """What the check finds in a document."""

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("query Shop { shop { name } }", []),
            ("query Other { shop { name } }", ["has not exactly one operation, named Shop"]),
            ("{ shop { name } }", ["has not exactly one operation, named Shop"]),
            (
                "query Shop { shop { name } } query Two { shop { name } }",
                ["has not exactly one operation, named Shop"],
            ),
            ("query Shop { shop { nam } }", ["Cannot query field 'nam' on type 'Shop'."]),
            ("query Shop { shop { plan(by: 1.5) } }", ["Int cannot represent non-integer"]),
            ("query Shop { old }", ["The field QueryRoot.old is deprecated. Gone"]),
            (
                "query Shop { orders(first: 1) { id } }",
                [
                    "Order.id needs one of read_orders, read_quick_sale",
                    "orders needs one of read_x",
                ],
            ),
        ],
    )
    def test_findings(self, theirs: Shopifys, text: str, found: list[str]) -> None:
        findings = list(of_document("shop", text, theirs, {"read_products"}))
        assert len(findings) == len(found)
        assert all(part in finding for part, finding in zip(found, findings, strict=True))

    def test_one_of_alternative_scopes_suffices(self, theirs: Shopifys) -> None:
        text = "query Shop { orders(first: 1) { id } }"
        for granted in ({"read_orders", "read_x"}, {"write_quick_sale", "write_x"}):
            assert list(of_document("shop", text, theirs, granted)) == []


class TestSchemaCheck:
    """What the check finds in the pretend Shopify's schema."""

    @pytest.mark.parametrize(
        ("change", "found"),
        [
            (lambda text: text, None),
            (lambda text: text.replace("plan(of: String", "plan(OF: String"), "Shop.plan.OF"),
            (lambda text: text.replace(", by: Int", ""), None),
            (lambda text: text.replace("name: String!", "name: String"), "Shop.name: is String!"),
            (lambda text: text.replace("name: String!", "title: String!"), "Shop.title: no such"),
            (lambda text: text.replace("BASIC", "FREE"), "Plan.FREE: no such value"),
            (lambda text: text.replace("  PLUS", ""), None),
            (lambda text: text.replace("enum Plan { BASIC  PLUS }", "scalar Plan"), "Plan: Shop"),
            (lambda text: text.replace("type Order", "type Order implements Node"), "no Node"),
            (lambda text: text.replace("(first: Int!)", ""), "orders.first: is required there"),
            (lambda text: text.replace("(first: Int!)", "(first: Int)"), "orders.first: is Int!"),
            (lambda text: text.replace("id: ID!  why", "why"), "CloseInput.id: is required"),
            (lambda text: text.replace("  why: String", ""), None),
            (lambda text: text.replace("why: String", "why: Int"), "CloseInput.why: is String"),
            (lambda text: text.replace("Shop | Order", "Shop | Payload"), "Thing: Payload is none"),
            (lambda text: text + "type More { a: Int }", "More: Shopify has no such"),
            (lambda text: text.replace('["read_x"]', '["read_y"]'), "QueryRoot.orders: @needs"),
            (lambda text: text.replace('@needs(anyOf: ["read_x"])', ""), "QueryRoot.orders: @n"),
        ],
    )
    def test_findings(
        self,
        theirs: Shopifys,
        monkeypatch: pytest.MonkeyPatch,
        change: Callable[[str], str],
        found: str | None,
    ) -> None:
        schema = build_schema(change(OURS), assume_valid=True)
        monkeypatch.setattr(admin, "schema", lambda: schema)
        findings = list(of_schema(schema, theirs))
        assert (findings == []) is (found is None)
        assert found is None or any(found in finding for finding in findings)


class TestMain:
    """`python -m local.shopify.checking`."""

    @pytest.mark.parametrize("packed", [True, False])
    def test_findings_are_printed_and_exit_code_is_1(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], packed: bool
    ) -> None:
        text = admin.schema_text().replace("enum CurrencyCode {", "enum CurrencyCode { ALL")
        schema, scopes = tmp_path / "schema", tmp_path / "scopes.json"
        schema.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
        scopes.write_text(json.dumps(list(required_scopes())))
        assert checking.main(str(schema), str(scopes)) == 0
        assert f"{len(FILES)} documents checked: 0 findings" in capsys.readouterr().err
        schema.write_text(text.replace("contactEmail: String!", ""))
        assert checking.main(str(schema), str(scopes)) == 1
        errors = capsys.readouterr().err
        assert "shop.graphql: Cannot query field 'contactEmail' on type 'Shop'" in errors
        assert "Shop.contactEmail: no such field or argument" in errors

    def test_missing_files_are_asked_for(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert checking.main() == 2
        assert "make check-shopify SCHEMA=" in capsys.readouterr().err

    def test_scope_that_is_not_requested_is_reported(self) -> None:
        theirs = Shopifys(admin.schema(), {("Shop", "name"): {"read_nothing"}})
        assert "shop.graphql: Shop.name needs one of read_nothing" in findings(
            theirs, template_scopes()
        )


def required_scopes() -> Iterator[dict[str, object]]:
    """The scopes that the pretend Shopify requires, listed as Shopify lists its own."""
    for kind in admin.schema().type_map.values():
        if not isinstance(kind, GraphQLObjectType) or kind.ast_node is None:
            continue
        for field, node in [
            (None, kind.ast_node),
            *((n, f.ast_node) for n, f in kind.fields.items()),
        ]:
            directive = get_directive_values(needs(), node) if node else None
            if directive:
                yield {"type": kind.name, "field": field, "scopes": directive["anyOf"]}


def needs() -> GraphQLDirective:
    directive = admin.schema().get_directive("needs")
    assert directive is not None
    return directive
