"""What holds for the query and the path of every operation."""

import pytest

from tests.harness.world import Someone, World

pytestmark = pytest.mark.usefixtures("workspace")


def refused(owner: Someone, path: str, **query: object) -> list[tuple[str, str]]:
    """Where the errors of a GET are, and what they say."""
    answer = owner.call("GET", path, query=query)
    assert answer.problem() == (422, "validation")
    return [(error["path"], error["message"]) for error in answer.json["errors"]]


class TestUnknownParameters:
    """They are refused, and the error suggests the one that was probably meant."""

    @pytest.mark.parametrize(
        ("path", "sent", "meant"),
        [
            ("/orders", "pagesize", "pageSize"),
            ("/orders", "page_size", "pageSize"),
            ("/orders", "financialStatus[]", "financialStatus"),
            ("/orders", "placed_from", "placedFrom"),
            ("/profiles", "e-mail", "email"),
        ],
    )
    def test_misspelled_parameter_gets_a_suggestion(
        self, owner: Someone, path: str, sent: str, meant: str
    ) -> None:
        message = f"There is no such parameter. Did you mean `{meant}`?"
        assert refused(owner, path, **{sent: "x"}) == [(f"query.{sent}", message)]

    @pytest.mark.parametrize("size", ["2", "0", "-10", "1000"])
    def test_invalid_page_size(self, owner: Someone, size: str) -> None:
        found = refused(owner, "/orders", pageSize=size)
        assert found == [("query.pageSize", "Must be `10`, `25`, `50` or `100`")]

    @pytest.mark.parametrize("sent", ["xyzzy", "PAGE" * 500, "😀", "", "__proto__"])
    def test_dissimilar_parameter_gets_no_suggestion(self, owner: Someone, sent: str) -> None:
        found = refused(owner, "/locales", **{sent: "x"})
        assert found == [(f"query.{sent}", "There is no such parameter")]

    def test_reported_beside_other_errors(self, owner: Someone) -> None:
        found = refused(owner, "/orders", pageSize="11", sortBy="x", page="0")
        assert {path for path, _ in found} == {"query.pageSize", "query.sortBy", "query.page"}

    def test_operation_without_parameters(self, owner: Someone) -> None:
        assert [path for path, _ in refused(owner, "/me", x="1")] == ["query.x"]

    def test_refused_on_a_write(self, owner: Someone) -> None:
        answer = owner.call("POST", "/locales", {"code": "de"}, query={"dryRun": "1"})
        assert answer.error_paths() == ["query.dryRun"]
        assert owner.call("GET", "/locales").json["total"] == 0

    def test_unknown_route_takes_precedence(self, owner: Someone) -> None:
        """A path without an operation is 404, whatever parameters it has."""
        for method, path, expected in (("PATCH", "/locales", 405), ("GET", "/locales/x/y", 404)):
            assert owner.call(method, path, query={"x": "1"}).status == expected

    def test_at_most_fifty_are_reported(self, owner: Someone) -> None:
        found = refused(owner, "/orders", **{f"p{number}": 1 for number in range(600)})
        assert [path for path, _ in found] == [f"query.p{number}" for number in range(50)]

    @pytest.mark.parametrize("path", ["/unsubscribe/nobody", "/docs", "/pages/password-reset"])
    def test_public_links_ignore_unknown_parameters(self, world: World, path: str) -> None:
        plain = world.call("GET", path)
        added = world.call("GET", path, query={"utm_source": "mail", "fbclid": "x"})
        assert (added.status, added.body) == (plain.status, plain.body)


class TestPages:
    """Pages end at a million."""

    def test_last_allowed_page(self, owner: Someone) -> None:
        answer = owner.call("GET", "/orders", query={"page": 1_000_000})
        assert (answer.status, answer.json["items"], answer.json["page"]) == (200, [], 1_000_000)

    @pytest.mark.parametrize("page", [1_000_001, 10**30, "9" * 5_000, -1, 0, "1.5", "1e3"])
    def test_page_out_of_range_is_refused(self, owner: Someone, page: object) -> None:
        assert [path for path, _ in refused(owner, "/orders", page=page)] == ["query.page"]


ID = "0192f3a1-7c3e-7d3a-9a55-3f6c2f6d9b10"
SPELLINGS = [ID.upper(), ID.replace("-", ""), "{" + ID + "}", f"urn:uuid:{ID}", f" {ID}", f"{ID} "]


class TestIds:
    """Spelled as answers have them, and no other way."""

    def test_canonical_spelling_is_accepted(self, owner: Someone) -> None:
        assert owner.call("GET", f"/orders/{ID}").problem() == (404, "not_found")

    @pytest.mark.parametrize("spelled", SPELLINGS)
    def test_other_spelling_in_the_path_is_refused(self, owner: Someone, spelled: str) -> None:
        path = f"/orders/{spelled.replace(' ', '%20')}"
        assert [path for path, _ in refused(owner, path)] == ["path.id"]

    @pytest.mark.parametrize("spelled", SPELLINGS)
    def test_other_spelling_in_the_query_is_refused(self, owner: Someone, spelled: str) -> None:
        assert [path for path, _ in refused(owner, "/orders", storeId=spelled)] == ["query.storeId"]

    @pytest.mark.parametrize("spelled", SPELLINGS)
    def test_other_spelling_in_a_body_is_refused(self, owner: Someone, spelled: str) -> None:
        answer = owner.call("PUT", "/me/workspace", {"workspaceId": spelled})
        assert answer.error_paths() == ["/workspaceId"]


class TestSpelling:
    """A value has one spelling, so that no later version has to accept others."""

    @pytest.mark.parametrize("sent", ["True", "1", "yes", "on", "TRUE"])
    def test_other_spelling_of_a_boolean_is_refused(self, owner: Someone, sent: str) -> None:
        found = refused(owner, "/orders", isTest=sent)
        assert found == [("query.isTest", "Must be `true` or `false`")]

    @pytest.mark.parametrize("sent", ["1.0", "+1", "01", " 1", "1_0"])
    def test_other_spelling_of_a_number_is_refused(self, owner: Someone, sent: str) -> None:
        found = refused(owner, "/orders", page=sent)
        assert found == [("query.page", "Must be a whole number")]

    @pytest.mark.parametrize(
        "query", [{"isTest": "true"}, {"isTest": "false"}, {"page": "10", "pageSize": "10"}, {}]
    )
    def test_documented_spelling_is_accepted(self, owner: Someone, query: dict[str, str]) -> None:
        assert owner.call("GET", "/orders", query=query).status == 200

    def test_phone_with_unescaped_plus_gets_a_hint(self, owner: Someone) -> None:
        [(path, message)] = refused(owner, "/profiles", phone=" 4915112345678")
        assert path == "query.phone"
        assert message.endswith("In a URL write `+` as `%2B`")


class TestTimeRanges:
    """They begin before they end."""

    LATER, EARLIER = "2026-02-01T00:00:00Z", "2026-01-31T23:59:59.999Z"

    @pytest.mark.parametrize(
        ("path", "name"),
        [
            ("/orders", "placed"),
            ("/profiles", "firstSeen"),
            ("/profiles", "lastSeen"),
            ("/products", "changed"),
            (f"/profiles/{ID}/events", "occurred"),
        ],
    )
    def test_end_before_start_is_refused(self, owner: Someone, path: str, name: str) -> None:
        span = {f"{name}From": self.LATER, f"{name}To": self.EARLIER}
        found = refused(owner, path, **span)
        assert found == [(f"query.{name}To", f"Must not be before `{name}From`")]

    def test_end_day_before_start_day_is_refused(self, owner: Someone) -> None:
        span = {"from": "2026-02-01", "to": "2026-01-31"}
        found = refused(owner, f"/products/{ID}/sales", **span)
        assert found == [("query.to", "Must not be before `from`")]

    def test_empty_range_is_accepted(self, owner: Someone) -> None:
        query = {"placedFrom": self.LATER, "placedTo": "2026-02-01T01:00:00+01:00"}
        answer = owner.call("GET", "/orders", query=query)
        assert (answer.status, answer.json["total"]) == (200, 0)
