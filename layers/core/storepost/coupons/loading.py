"""Stores one chunk of a coupon's codes: rows without a transaction, then list entries.

A code's id and its row are derived from the input, so a repeated write is the same row and is
refused. Each row names its load. As long as the list doesn't show it, it exists for orders alone:
one that has the code updates the row, and with it the work's row, on which the list's transaction
is conditioned. So the list gets the code's latest state.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import batched
from typing import Any
from uuid import UUID

from storepost.coupons.code_repository import CodeRepository
from storepost.coupons.codes import code_id
from storepost.coupons.coupon_work import Chunk, CouponWork, WorkRepository
from storepost.coupons.keys import code_key
from storepost.coupons.model import Code, Coupon, Use
from storepost.coupons.pool import first_status, used
from storepost.coupons.repository import CouponRepository
from storepost.coupons.rows import CodeItem, CodeUseItem, as_code, code_attributes
from storepost.coupons.trees import CodeList
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.counted_tree.keys import END, LOWEST, KeyRange
from storepost.platform.persistence.counted_tree.loading import Load
from storepost.platform.persistence.item import BATCH_GET_KEYS, Item, Key, Raw, find_raw
from storepost.platform.persistence.loads.in_flight import in_flight
from storepost.platform.persistence.loads.row_writes import insert_rows
from storepost.platform.persistence.loads.serializing import RowSerializer

_USES_AT_ONCE = 40
_ROWS = RowSerializer(CodeItem)
_CODE, _USE = (Item.kind.get_discriminator(model) for model in (CodeItem, CodeUseItem))


class CodeLoad:
    """Stores one chunk in one run."""

    def __init__(
        self, coupon: Coupon, work: CouponWork, chunk: Chunk, texts: Iterable[str]
    ) -> None:
        """`texts` are the chunk's codes."""
        self._written: set[UUID] = set()
        self._coupon = coupon
        self._work = work
        self._chunk = chunk
        self._list = CodeList(coupon.workspace, coupon.id)
        self._works = WorkRepository(coupon.workspace, coupon.id)
        status = first_status(coupon)
        made = {code_id(coupon.store_id, text): text for text in texts}
        self._codes = {
            each: Code(each, coupon.id, text, status, chunk.created_at, load=work.mark)
            for each, text in made.items()
        }

    def write_rows(self) -> list[Code]:
        """Writes rows for codes that are new to the store; returns the chunk's stored codes."""
        refused = set(insert_rows(map(self._row, self._codes.values())))
        known = [code for code in self._codes.values() if self._key(code) in refused]
        self._written = self._codes.keys() - {code.id for code in known}
        return [self._codes[each] for each in self._written] + self._stored(known)

    def read_rows(self) -> list[Code]:
        """Returns the codes that are stored and not in the list yet, as they are now."""
        to = self._chunk.listed_to
        codes = self._codes.values()
        return self._stored([c for c in codes if to is None or self._list.entry(c).key > to])

    def put_into_list(self, codes: Sequence[Code], *, is_last: bool) -> None:
        """Adds the codes to the coupon's list and finishes the chunk; the last one ends the work.

        Raises WorkMoved.
        """
        entries = sorted((self._list.entry(code) for code in codes), key=lambda entry: entry.key)
        progress = _Progress(self._coupon, self._works, self._work, self._chunk, is_last)
        keys = [entry.key for entry in entries]
        if entries:
            Load(self._list.tree, partial(progress.note, keys=keys)).run(entries)
        else:
            changes = Changes()
            progress.note(changes, 0, keys)
            changes.commit()

    def take_back_late_rows(self) -> None:
        """Deletes rows that `write_rows` wrote after another run had put those codes into the list.

        The codes were deleted meanwhile: nothing would lead to the rows, and nobody could add the
        codes again.
        """
        listed_to = self._listed_to()
        keys = {self._list.entry(self._codes[each]).key: each for each in self._written}
        late = {key: each for key, each in keys.items() if key <= listed_to}
        if not late:
            return
        within = KeyRange(min(late), max(late) + LOWEST)
        for entry in self._list.tree.first(within, len(self._codes)):
            late.pop(entry.key, None)
        for some in batched(late.values(), _USES_AT_ONCE, strict=False):
            commit_anew(partial(self._take_back, ids=some))

    def _listed_to(self) -> str:
        """Returns the key up to which the chunk's codes are, or were, in the list by now."""
        for work in self._works.all():
            if work.mark == self._work.mark:
                return (work.chunk and work.chunk.listed_to) or ""
        return END

    def _take_back(self, changes: Changes, ids: Iterable[UUID]) -> None:
        codes = CodeRepository(self._coupon.workspace)
        for each in codes.find_stored(ids).values():
            if isinstance(each, Code) and each.load == self._work.mark:
                codes.delete_unlisted(changes, each)

    def _key(self, code: Code) -> Key:
        return code_key(self._coupon.workspace, code.id)

    def _row(self, code: Code) -> Raw:
        return _ROWS.row(self._key(code), code_attributes(code))

    def _stored(self, codes: Iterable[Code]) -> list[Code]:
        """Returns those of the codes that belong to this chunk, as they are stored."""
        keys = {self._key(code): code for code in codes}
        found: dict[Key, Any] = {}
        for some in in_flight(find_raw, batched(keys, BATCH_GET_KEYS, strict=False)):
            found |= some
        uses = [keys[key].id for key, raw in found.items() if raw["kind"]["S"] == _USE]
        rows = [raw for raw in found.values() if raw["kind"]["S"] == _CODE]
        own = [code for raw in rows if (code := as_code(CodeItem.from_raw_data(raw))).load]
        return [c for c in own if c.load == self._work.mark] + self._used_before(uses)

    def _used_before(self, code_ids: Iterable[UUID]) -> list[Code]:
        """Returns the codes that orders used before they existed, stored as codes of this chunk."""
        batches = batched(code_ids, _USES_AT_ONCE, strict=False)
        return [code for some in batches for code in commit_anew(partial(self._take, ids=some))]

    def _take(self, changes: Changes, ids: Iterable[UUID]) -> list[Code]:
        codes = CodeRepository(self._coupon.workspace)
        codes_to_list = []
        for each, found in codes.find_stored(ids).items():
            if isinstance(found, Use):
                codes_to_list.append(used(self._codes[each], found))
                codes.save_unlisted(changes, codes_to_list[-1])
            elif found.load == self._work.mark:
                codes_to_list.append(found)
        return codes_to_list


@dataclass
class _Progress:
    """The progress that the work's row stores while the list gets a chunk's codes."""

    coupon: Coupon
    works: WorkRepository
    work: CouponWork
    chunk: Chunk
    is_last: bool

    def __post_init__(self) -> None:
        """Begins with what is listed by now."""
        self._before = self.chunk.listed

    def note(self, changes: Changes, listed: int, keys: Sequence[str]) -> None:
        """Adds to the list's transaction that so many of the entries are in it."""
        in_all = self._before + listed
        newly = in_all - self.chunk.listed
        if listed == len(keys):
            self._finish(changes, in_all, newly)
            return
        chunk = replace(self.chunk, listed=in_all, listed_to=keys[listed - 1])
        self.works.note_listed(changes, self.work, chunk, newly)
        changes.after_commit(partial(self._noted, chunk, newly))

    def _noted(self, chunk: Chunk, newly: int) -> None:
        self.chunk = chunk
        self.work = replace(
            self.work, version=self.work.version + 1, remaining=self.work.remaining - newly
        )

    def _finish(self, changes: Changes, listed: int, newly: int) -> None:
        """Finishes the chunk: known codes of a file are skipped, known generated ones replaced."""
        is_file = self.work.object_name is not None
        known = self.chunk.codes - listed if is_file else 0
        if known:
            coupons = CouponRepository(self.coupon.workspace)
            coupons.skip(changes, self.coupon.id, known)
        if self.is_last or self.work.remaining <= newly + known:
            self.works.delete(changes, self.work)
        else:
            self.works.finish_chunk(changes, self.work, self.chunk, newly + known)
