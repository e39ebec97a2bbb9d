"""Stores a pool's codes, generated ones or those of a file, one chunk after the other.

The work's row stores the progress. So a run may be killed anywhere: no code is stored twice, and
none is left out.
"""

from uuid import UUID

from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.coupons.codes import seeded_code
from storepost.coupons.coupon_work import Chunk, CouponWork, WorkMoved, WorkRepository
from storepost.coupons.loading import CodeLoad
from storepost.coupons.model import Coupon, LoadMark
from storepost.coupons.repository import CouponRepository
from storepost.platform.persistence.changes import Changes, LostRace, until_won
from storepost.platform.persistence.objects import ObjectGone, get_object
from storepost.values import clock
from storepost.values.logs import log_unexpected
from storepost.values.scope import WorkspaceScope

CODES_OF_A_CHUNK = 5000
"""Smaller chunks cost more to list; of larger ones a killed run writes more again."""


class Filling:
    """Stores a coupon's codes in one run."""

    def __init__(self, workspace: WorkspaceScope, coupon_id: UUID) -> None:
        """Begins with nothing read."""
        self._coupons = CouponRepository(workspace)
        self._works = WorkRepository(workspace, coupon_id)
        self._scope = workspace
        self._coupon_id = coupon_id
        self._content: tuple[str, bytes] | None = None
        self._written: set[LoadMark] = set()
        """The chunks whose rows this run has written."""

    def store_some(self) -> bool:
        """Stores a chunk of the oldest request's codes; returns whether there may be more."""
        return until_won(self._store_some)

    def _store_some(self) -> bool:
        coupon = self._coupons.get(self._coupon_id)
        work = self._oldest()
        if coupon is None or work is None or self._is_workspace_over():
            return False
        try:
            self._resume(coupon, work)
        except WorkMoved as error:
            raise LostRace from error
        return True

    def _resume(self, coupon: Coupon, work: CouponWork) -> None:
        """Stores a chunk of the work. Raises WorkMoved."""
        try:
            started = work if work.chunk else self._begin(coupon, work)
            if started and started.chunk:
                self._store(coupon, started, started.chunk)
        except ObjectGone as error:
            log_unexpected(error)
            self._drop(coupon, work, unstored=0)

    def _is_workspace_over(self) -> bool:
        """Returns whether the workspace is gone: rows written after that would stay behind."""
        return WorkspaceRepository(self._scope).get() is None

    def _oldest(self) -> CouponWork | None:
        return next(iter(self._works.all()), None)

    def _begin(self, coupon: Coupon, work: CouponWork) -> CouponWork | None:
        """Begins a chunk and returns the work with it; None if the coupon is over."""
        if not coupon.is_active(clock.now()):
            self._drop(coupon, work, unstored=work.remaining)
            return None
        changes = Changes()
        self._works.begin(changes, work, self._next_chunk(work))
        changes.commit()
        return self._oldest()

    def _store(self, coupon: Coupon, work: CouponWork, chunk: Chunk) -> None:
        """Stores a chunk, even if the coupon is over meanwhile: its rows may exist already."""
        load = CodeLoad(coupon, work, chunk, self._texts(coupon, work, chunk))
        if chunk.listed_to is None and work.mark not in self._written:
            codes = load.write_rows()
            self._written.add(work.mark)
        else:
            codes = load.read_rows()
        name = work.object_name
        is_last = name is not None and chunk.end >= len(self._content_of(name))
        try:
            load.put_into_list(codes, is_last=is_last)
        except (LostRace, WorkMoved):
            load.take_back_late_rows()
            raise

    def _drop(self, coupon: Coupon, work: CouponWork, unstored: int) -> None:
        """Deletes the work; `unstored` of its codes count as ended."""
        changes = Changes()
        if unstored:
            self._coupons.count_unstored(changes, coupon.id, unstored)
        self._works.delete(changes, work)
        changes.commit()

    def _next_chunk(self, work: CouponWork) -> Chunk:
        if work.object_name is None:
            codes = min(work.remaining, CODES_OF_A_CHUNK)
            return Chunk(clock.now(), codes, work.next_byte + codes)
        content = self._content_of(work.object_name)
        texts, end = next_lines(content, work.next_byte, CODES_OF_A_CHUNK)
        return Chunk(clock.now(), len(texts), end)

    def _texts(self, coupon: Coupon, work: CouponWork, chunk: Chunk) -> list[str]:
        if work.object_name is not None:
            return next_lines(self._content_of(work.object_name), work.next_byte, chunk.codes)[0]
        if work.seed is None:
            raise RuntimeError("codes are made of a seed")
        numbers = range(work.next_byte, chunk.end)
        return [seeded_code(coupon.prefix, work.seed, number) for number in numbers]

    def _content_of(self, name: str) -> bytes:
        if self._content is None or self._content[0] != name:
            self._content = (name, get_object(name))
        return self._content[1]


def next_lines(content: bytes, begin: int, limit: int) -> tuple[list[str], int]:
    """Returns the lines from a byte on, and the byte at which the line after them begins."""
    lines, at = list[str](), begin
    while len(lines) < limit and at < len(content):
        end = content.find(b"\n", at)
        end = len(content) if end < 0 else end
        lines.append(content[at:end].decode())
        at = end + 1
    return lines, at
