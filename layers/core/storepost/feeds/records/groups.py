"""Which product a row belongs to: by its own cells, or by the row before it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from storepost.feeds.records.names import compared_name, compared_names
from storepost.feeds.records.options import OPTIONS, Option, is_pair
from storepost.feeds.records.values import MAX_TEXT

_BY_ID = re.compile(r"id:\s*(\S.*)")
_MEMBER = re.compile(r"sku=([^,|]+)((?:,[^,|=]+=[^,|]*)*)")
_KINDS = {
    "product": "product", "variant": "variant", "sku": "variant", "image": "more", "video": "more",
    "rule": "rule", "option": "rule",
}  # fmt: skip
_KIND_COLUMNS = compared_names("item", "item_type")
_HANDLES = compared_names("handle", "slug", "url_key", "url_handle")
_MERCHANTS = compared_names("item_group_id", "itemgroup_id", "itemgroupid", "group_id")
"""Google's own names, of a format in which every row has an id."""
MAX_MEMBERS = 2_000


@dataclass(frozen=True)
class GroupMember:
    """Holds a variant that its group's row lists, with its options."""

    id: str
    options: tuple[Option, ...]


@dataclass(frozen=True)
class RowIdentity:
    """Holds what identifies a row, and the product that it belongs to."""

    id: str
    group: str | None
    is_more: bool = False
    """Whether it only adds to its product, such as an image, and is no variant."""
    members: tuple[GroupMember, ...] = ()


def is_kind_column(column: str) -> bool:
    """Returns whether a column says if a row is a product or a variant (BigCommerce)."""
    return compared_name(column) in _KIND_COLUMNS


def is_handle(column: str) -> bool:
    """Returns whether a column with this name identifies products, and not their variants."""
    return compared_name(column) in _HANDLES


def members_of(text: str) -> tuple[GroupMember, ...]:
    """Returns the variants that a cell lists as Magento does: `sku=A,size=S|sku=B,size=M`."""
    if not text.startswith("sku="):
        return ()
    found = (_MEMBER.match(part.strip()) for part in text.split("|")[:MAX_MEMBERS])
    return tuple(GroupMember(each[1].strip(), _options(each[2])) for each in found if each)


def _options(text: str) -> tuple[Option, ...]:
    pairs = (part.partition("=") for part in text.split(",") if "=" in part)
    return tuple((name.strip().capitalize(), value.strip()) for name, _, value in pairs)


class Groups:
    """Follows the rows of a file, since a row may leave out what earlier rows state."""

    def __init__(self, columns: Mapping[str, Sequence[str]]) -> None:
        """`columns` are the columns of each target."""
        self._by_kind = [each for each in columns.get("item_group_id", ()) if is_kind_column(each)]
        pairs = [column for target in OPTIONS for column in columns.get(target, ())]
        self._by_handle = not columns.get("item_group_id") and any(
            is_handle(column) or (compared_name(column) == "productid" and any(map(is_pair, pairs)))
            for column in columns.get("id", ())
        )
        self._follows = bool(columns.get("item_group_id")) and bool(columns.get("title"))
        groups = columns.get("item_group_id", ())
        self._may_lack_id = self._by_handle or any(
            compared_name(each) not in _MERCHANTS for each in groups
        )
        self._group: str | None = None
        self.names: dict[str, str] = {}
        """The option names that the group's rows have."""

    def name(
        self, mapped: Mapping[str, str], options: Sequence[Option], *, is_variant: bool
    ) -> RowIdentity | None:
        """Returns the row's identity; None if nothing identifies it, or it is no product's."""
        if self._by_kind:
            return self._of_kind(mapped, options)
        identifier: str | None = mapped.get("id")
        group = mapped.get("item_group_id", "")
        members = members_of(group)
        if members and identifier:
            return RowIdentity(identifier, identifier, members=members)
        if by_id := _BY_ID.fullmatch(group):
            group = by_id[1]
        if self._by_handle and identifier:
            group, identifier = identifier, None
        named = _cut(group) if group else self._continued(mapped)
        if identifier is None and not self._may_lack_id:
            return None
        return _named(identifier, named, options, is_variant=is_variant)

    def note_row(self, name: RowIdentity | None, names: Mapping[str, str], *, begins: bool) -> None:
        """Notes a row for the rows after it; `begins` is whether it describes its product."""
        group = name.group if name else None
        if group != self._group or begins:
            self.names = {}
        self._group = group
        self.names.update(names)

    def known_names(self, mapped: Mapping[str, str], names: Mapping[str, str]) -> Mapping[str, str]:
        """Returns the option names that apply to a row: its own, else its group's."""
        group = mapped.get("id" if self._by_handle else "item_group_id")
        return {**self.names, **names} if group is None or group == self._group else names

    def _continued(self, mapped: Mapping[str, str]) -> str | None:
        """Returns the previous row's group, for a row that says nothing at all of its product."""
        if mapped.keys() & {"title", "description", "link", "brand", "product_type"}:
            return None
        return self._group if self._follows and mapped else None

    def _of_kind(self, mapped: Mapping[str, str], options: Sequence[Option]) -> RowIdentity | None:
        kind = _KINDS.get(mapped.get("item_group_id", "").lower(), "product")
        identifier = mapped.get("id")
        if kind == "product":
            return RowIdentity(identifier, identifier) if identifier else None
        if self._group is None or kind == "rule":
            return None
        is_more = kind == "more"
        return _named(None if is_more else identifier, self._group, options, is_variant=not is_more)


def _named(
    identifier: str | None, group: str | None, options: Sequence[Option], *, is_variant: bool
) -> RowIdentity | None:
    if identifier is not None:
        return RowIdentity(identifier, group)
    if group is None:
        return None
    if not is_variant:
        return RowIdentity("", group, is_more=True)
    values = "/".join(value for _, value in options)
    return RowIdentity(_cut(f"{group}/{values}" if values else group), group)


def more_of(group: str, content: str) -> str:
    """Returns the id of a row that only adds to its product: the same for the same content."""
    return f"{group[:200]}#{blake2b(content.encode(), digest_size=6).hexdigest()}"


def _cut(text: str) -> str:
    return text[:MAX_TEXT]
