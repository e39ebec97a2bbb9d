"""Reads and writes codes, with their rows in lists, in profiles and in the due queue."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from storepost.coupons.coupon_work import WorkRepository
from storepost.coupons.keys import (
    code_key,
    due_key,
    names_in_pointer,
    pointer_key,
    pointer_partition,
    pointer_prefix,
)
from storepost.coupons.model import Code, CodeStatus, Use
from storepost.coupons.rows import (
    CodeItem,
    CodePointerItem,
    CodeRow,
    CodeUseItem,
    CouponDueItem,
    as_code,
    as_use,
    code_attributes,
    use_row,
)
from storepost.coupons.trees import CodeList
from storepost.people.profiles.model import Profile
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import find_in
from storepost.platform.persistence.reads import Reads, UnitRepository
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class Pointer:
    """The name under which a profile has a code of a coupon."""

    item: CodePointerItem
    coupon_id: UUID
    name: str
    code_id: UUID


class CodeRepository(UnitRepository):
    """A workspace's codes."""

    def __init__(self, workspace: WorkspaceScope, reads: Reads | None = None) -> None:
        """For one workspace; `reads` is a unit of work's own."""
        super().__init__(workspace, reads)
        self._read: dict[UUID, CodeRow] = {}

    def get(self, code_id: UUID) -> Code | None:
        """Returns the code, or None."""
        return self.get_many([code_id]).get(code_id)

    def get_many(self, code_ids: Iterable[UUID]) -> dict[UUID, Code]:
        """Returns those of the codes that exist, by id."""
        stored = self.find_stored(code_ids)
        return {code_id: each for code_id, each in stored.items() if isinstance(each, Code)}

    def get_many_listed(self, code_ids: Iterable[UUID]) -> dict[UUID, Code]:
        """Returns those of the codes that exist, by id; their coupon's list showed them."""
        return {each: replace(code, load=None) for each, code in self.get_many(code_ids).items()}

    def find_stored(self, code_ids: Iterable[UUID]) -> dict[UUID, Code | Use]:
        """Returns the codes that exist, and the uses of those that don't, by id."""
        keys = {each: code_key(self._scope, each) for each in code_ids}
        rows = self._reads.find_all(keys.values())
        found = {each: find_in(rows, CodeRow, key) for each, key in keys.items()}
        self._read |= {each: row for each, row in found.items() if row}
        return {each: _as_stored(row) for each, row in found.items() if row}

    def save(self, changes: Changes, before: Code | None, after: Code) -> None:
        """Writes the code, its list entry and its due row, if nobody changed what was read here.

        If there was none, or only a use, it creates the code.
        """
        works = WorkRepository(self._scope, after.coupon_id, self._reads)
        work = works.unlisted_in(before) if before else None
        if work is None:
            listed = replace(after, load=None)
            self._put(changes, listed)
            CodeList(self._scope, after.coupon_id).update_index(changes, before, listed)
            self._update_due(changes, before, listed)
        else:
            works.touch(changes, work)
            self._put(changes, after)

    def save_unlisted(self, changes: Changes, code: Code) -> None:
        """Writes a load's code, if nobody changed what was read here; the load lists it."""
        self._put(changes, code)

    def delete_unlisted(self, changes: Changes, code: Code) -> None:
        """Deletes a load's code that was read here and that no list shows."""
        changes.delete(self._read[code.id])

    def get_listed(self, code_id: UUID) -> Code | None:
        """Returns the code; None if there is none or the list doesn't show it yet."""
        code = self.get(code_id)
        if code is None:
            return None
        works = WorkRepository(self._scope, code.coupon_id, self._reads)
        return None if works.unlisted_in(code) else code

    def delete(self, changes: Changes, code: Code) -> None:
        """Deletes a code that was read here, with its list entry and its due row."""
        row = self._read[code.id]
        changes.delete(row)
        CodeList(self._scope, code.coupon_id).update_index(changes, code, None)
        self._update_due(changes, code, None)

    def keep_use(self, changes: Changes, code_id: UUID, use: Use) -> None:
        """Stores the use of a code that isn't ours, or not yet."""
        item = CodeUseItem(*code_key(self._scope, code_id), id=code_id, use=use_row(use))
        self._as_read(item)
        changes.save(item)

    def point(self, changes: Changes, profile_id: UUID, code: Code, name: str) -> None:
        """Points a profile to the code, by a name under which it has no code of the coupon yet."""
        key = pointer_key(self._scope, profile_id, code.coupon_id, name)
        changes.create(CodePointerItem(*key, code_id=code.id))

    def pointers_of(
        self, partitions: Iterable[UUID], coupon_id: UUID | None = None, occasion: str = ""
    ) -> Sequence[Pointer]:
        """Returns a profile's pointers, one a code: all, or a coupon's with names of an `occasion`.

        A pointer only ever moves to a later partition. So partitions are read in their order, and
        one that moves meanwhile is found twice rather than never.
        """
        found: dict[UUID, Pointer] = {}
        prefix = pointer_prefix(coupon_id) + occasion
        for each in partitions:
            found |= {p.code_id: p for p in self._pointers(each, prefix, None)}
        return list(found.values())

    def some_pointers(self, profile_id: UUID, limit: int) -> Sequence[Pointer]:
        """Returns some of the pointers in one partition."""
        return list(self._pointers(profile_id, pointer_prefix(), limit))

    def _pointers(self, profile_id: UUID, prefix: str, limit: int | None) -> Iterator[Pointer]:
        partition = pointer_partition(self._scope, profile_id)
        return map(_as_pointer, CodePointerItem.rows_in(partition, prefix, limit=limit))

    def unpoint(self, changes: Changes, profile: Profile, code: Code) -> None:
        """Deletes the pointer of the profile that has the code."""
        for pointer in self.pointers_of(profile.partitions, code.coupon_id):
            if pointer.code_id == code.id:
                self.delete_pointers(changes, [pointer])

    def move(self, changes: Changes, pointers: Iterable[Pointer], source: UUID, into: UUID) -> None:
        """Moves pointers to another profile, if they are still where they were read.

        If that profile has a pointer with the same name, the moved one gets another name.
        """
        moving = list(pointers)
        keys = {p.code_id: pointer_key(self._scope, into, p.coupon_id, p.name) for p in moving}
        existing = self._reads.find_all(keys.values())
        for each in moving:
            place = keys[each.code_id]
            if place in existing:
                other = f"{each.name}~{source.hex}"
                place = pointer_key(self._scope, into, each.coupon_id, other)
            self.delete_pointers(changes, [each])
            changes.create(CodePointerItem(*place, code_id=each.code_id))

    def erase(self, changes: Changes, pointers: Iterable[Pointer]) -> None:
        """Removes the profile from codes that it had, and deletes its pointers."""
        for each in pointers:
            code = CodeItem(*code_key(self._scope, each.code_id))
            changes.update(code, [CodeItem.profile_id.remove()], CodeItem.pk.exists())
            self.delete_pointers(changes, [each])

    def delete_pointers(self, changes: Changes, pointers: Iterable[Pointer]) -> None:
        """Deletes the pointers, which must be where they were read, and leaves their codes."""
        for each in pointers:
            changes.delete(CodePointerItem(*each.item.key), CodePointerItem.pk.exists())

    def erase_unfinished(self, changes: Changes, pointer: Pointer, code: Code) -> None:
        """Expires a code that was made for a profile and never got to it: it is nobody else's."""
        after = replace(code, status=CodeStatus.EXPIRED, profile_id=None, error=None)
        self.save(changes, code, after)
        self.delete_pointers(changes, [pointer])

    def not_due(self, changes: Changes, row: CouponDueItem) -> None:
        """Deletes a row of the due queue."""
        changes.delete(CouponDueItem(*row.key))

    def _put(self, changes: Changes, code: Code) -> None:
        item = CodeItem(*code_key(self._scope, code.id), **code_attributes(code))
        self._as_read(item)
        changes.save(item)

    def _as_read(self, item: CodeRow) -> None:
        """Makes the row's write conditional on the version that was read here."""
        find_stored = self._read.get(item.id)
        if find_stored:
            item.version = find_stored.version

    def _update_due(self, changes: Changes, before: Code | None, after: Code | None) -> None:
        old, new = (each if each and each.is_due else None for each in (before, after))
        if old and old.expires_at and not new:
            changes.delete(CouponDueItem(*due_key(old.coupon_id, old.expires_at, old.id)))
        if new and new.expires_at and not old:
            key = due_key(new.coupon_id, new.expires_at, new.id)
            row = CouponDueItem(
                *key, workspace_id=self._scope.id, coupon_id=new.coupon_id, code_id=new.id
            )
            changes.save(row)


def _as_stored(row: CodeRow) -> Code | Use:
    return as_code(row) if isinstance(row, CodeItem) else as_use(row.use)


def _as_pointer(row: CodePointerItem) -> Pointer:
    coupon_id, name = names_in_pointer(row.sk)
    return Pointer(row, coupon_id, name, row.code_id)
