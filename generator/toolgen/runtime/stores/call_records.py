"""Records of calls that may be executed once: which process executes one, and how it ended.

A record is created by the process that claims a call, and has a lease that this process renews while it
works. If the lease ends, the process is dead, and nobody knows what it has done: the record is `lost`, and
stays so. A token that was redeemed is a record, too. The functions below are the only ways in which a record
changes; a store applies them atomically.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal, TypeAlias

from .store import Entry, MemoryStore, Store, ask, open_store

LEASE_SECONDS: Final = 30.0  # after which another worker may take a call whose worker is silent
CLOCK_SECONDS: Final = 86_400.0  # by which a clock can be set back, and no token is redeemed twice

State: TypeAlias = Literal["queued", "running", "finished", "cancelled", "lost"]


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of a call. `answer` may hold the sealed call until there is an answer."""

    state: State
    digest: str  # of the arguments; of a call that a worker starts: what it is
    ttl: float  # seconds that the record is kept after its last change
    owner: str = ""  # the process, and its call, that executes it
    lease_until: float = 0.0  # of a queued call: until then, the queue is trusted to have it
    queued_at: float = 0.0
    starts: int = 0
    most: int = 1  # starts in all, if the processes that execute it die
    is_cancelled: bool = False  # somebody wants it to end
    progress: str = ""
    answer: bytes = b""

    def expires_at(self, now: float) -> float:
        """Return when the record is forgotten: a running one lives as long as its lease, at least."""
        since = self.queued_at if self.state == "queued" else max(now, self.lease_until)
        return since + self.ttl

    def belongs_to(self, owner: str) -> bool:
        """True while `owner` executes the call."""
        return self.state == "running" and self.owner == owner


Change: TypeAlias = Callable[..., Record | None]
"""Returns the new record, or the same object if nothing changes. Its arguments are the record, the time in
seconds, when records were lost, because the store was emptied (0 if that never happened), and its own."""


def claiming(
    record: Record | None, now: float, lost_at: float, owner: str, digest: str, ttl: float
) -> Record | None:
    """Claim a call which nobody has begun."""
    if record is None:
        # the call may have been executed before the store lost its records
        state: State = "lost" if lost_at and now < lost_at + ttl else "running"
        return Record(state, digest, ttl, owner, now + LEASE_SECONDS, starts=1)
    return observed(record, now, lost_at)


def redeeming(record: Record | None, now: float, lost_at: float, seconds: float) -> Record | None:
    """Redeem a token, once. Tokens are valid for `seconds`."""
    # it may have been redeemed before the store lost its records
    if record is not None or (lost_at and now < lost_at + seconds):
        return record
    return Record("finished", "", seconds + CLOCK_SECONDS)


def adding(record: Record | None, now: float, lost_at: float, new: Record) -> Record | None:
    """Record a call which a worker will start."""
    return record or replace(new, state="queued", lease_until=now + LEASE_SECONDS, queued_at=now)


def queuing(record: Record | None, now: float, lost_at: float) -> Record | None:
    """Observe a call. It changes to "queued" if it is to be put into the queue again: once for each lease."""
    record = observed(record, now, lost_at)
    if record is None or record.state != "queued" or record.lease_until > now:
        return record
    return replace(record, lease_until=now + LEASE_SECONDS)


def starting(record: Record | None, now: float, lost_at: float, owner: str) -> Record | None:
    """Start a recorded call, unless it runs, or may not be repeated."""
    record = observed(record, now, lost_at)
    if record is None or record.state != "queued":
        return record
    lease, starts = now + LEASE_SECONDS, record.starts + 1
    return replace(record, state="running", owner=owner, lease_until=lease, starts=starts)


def renewing(record: Record | None, now: float, lost_at: float, owner: str, progress: str) -> Record | None:
    """Extend the lease of a call, with the progress of its work."""
    if record is None or not record.belongs_to(owner):
        return record
    return replace(record, lease_until=now + LEASE_SECONDS, progress=progress)


def finishing(record: Record | None, now: float, lost_at: float, owner: str, answer: bytes) -> Record | None:
    """Store the answer of a call."""
    if record is None or not record.belongs_to(owner):
        return record
    return replace(record, state="finished", lease_until=0.0, answer=answer)


def releasing(record: Record | None, now: float, lost_at: float, owner: str) -> Record | None:
    """Forget a call which has not begun."""
    return record if record is None or not record.belongs_to(owner) else None


def leaving(record: Record | None, now: float, lost_at: float, owner: str, state: State) -> Record | None:
    """Let go of a call that ended without an answer: lost, cancelled, or to be started again."""
    if record is None or not record.belongs_to(owner):
        return record
    if state == "queued" and record.is_cancelled:
        state = "cancelled"  # its worker stopped before it looked
    elif state == "queued" and record.starts >= record.most:
        state = "lost"
    lease = now + LEASE_SECONDS if state == "queued" else 0.0
    return replace(record, state=state, owner="", lease_until=lease, queued_at=now)


def cancelling(record: Record | None, now: float, lost_at: float) -> Record | None:
    """Cancel a call: at once if no worker has started it, else its worker is told."""
    record = observed(record, now, lost_at)
    if record is None or record.state not in ("queued", "running"):
        return record
    return replace(record, is_cancelled=True, state="cancelled" if record.state == "queued" else "running")


def observed(record: Record | None, now: float, lost_at: float) -> Record | None:
    """Return the record as it is now: if the lease of its owner has ended, lost, or to be started again."""
    if record is None or record.state != "running" or record.lease_until > now:
        return record
    can_repeat = record.starts < record.most and not record.is_cancelled
    state: State = "queued" if can_repeat else "lost"
    return replace(record, state=state, owner="", lease_until=0.0, queued_at=now)


class CallRecords:
    """Records by key, in a store. Safe to use from several threads.

    Args:
        store: where the records are.
        part: the name of the store in the health of the process.
    """

    def __init__(self, store: Store, part: str = "records") -> None:
        self._store, self._part = store, part

    async def change(self, key: str, change: Change, *arguments: Any) -> tuple[Record | None, bool]:
        """Do what `apply` does without blocking the event loop. Raises StoreError."""
        return await ask(self._store, lambda: self.apply(key, change, *arguments), part=self._part)

    def apply(self, key: str, change: Change, *arguments: Any) -> tuple[Record | None, bool]:
        """Change a record atomically. Return the record, and whether this call changed it.

        Raises StoreError.
        """
        answer: tuple[Record | None, bool] = None, False

        def of_value(value: bytes | None, now: float, lost_at: float) -> Entry | None:
            nonlocal answer
            found = None if value is None else _decoded(value)
            changed = change(found, now, lost_at, *arguments)
            answer = changed, changed is not found
            if changed is found:
                return None
            return Entry(b"", now) if changed is None else Entry(_encoded(changed), changed.expires_at(now))

        self._store.apply(f"call:{key}", of_value)
        return answer


def _encoded(record: Record) -> bytes:
    head = {key: value for key, value in asdict(record).items() if key != "answer"}
    return json.dumps(head).encode() + b"\n" + record.answer


def _decoded(value: bytes) -> Record:
    head, _, answer = value.partition(b"\n")
    return Record(**json.loads(head), answer=answer)


_MEMORY: Final = MemoryStore()  # shared by all toolkits of the process


def open_call_records(setting: str, text: str) -> CallRecords:
    """Return the records for the value of a setting. Raises SettingError if they cannot be used."""
    return CallRecords(open_store(setting, text, memory=lambda: _MEMORY), setting.replace("_", " "))
