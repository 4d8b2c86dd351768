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
from typing import Final, Literal, TypeAlias

from .store import Entry, MemoryStore, Store, ask, open_store

LEASE_SECONDS: Final = 30.0
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


Change: TypeAlias = Callable[[Record | None, float, float], Record | None]
"""Returns the new record, or the same object if nothing changes. Its arguments are the record, the time in
seconds, and when records were lost, because the store was emptied; 0 if that never happened."""


def claiming(owner: str, digest: str, ttl: float) -> Change:
    """Return the change that claims a call which nobody has begun."""

    def change(record: Record | None, now: float, lost_at: float) -> Record | None:
        if record is None:
            # the call may have been executed before the store lost its records
            state: State = "lost" if lost_at and now < lost_at + ttl else "running"
            return Record(state, digest, ttl, owner, now + LEASE_SECONDS, starts=1)
        return observed(record, now, lost_at)

    return change


def redeeming(seconds: float) -> Change:
    """Return the change that redeems a token, once. Tokens are valid for `seconds`."""

    def change(record: Record | None, now: float, lost_at: float) -> Record | None:
        # it may have been redeemed before the store lost its records
        if record is not None or (lost_at and now < lost_at + seconds):
            return record
        return Record("finished", "", seconds + CLOCK_SECONDS)

    return change


def adding(digest: str, ttl: float, *, most: int, sealed: bytes) -> Change:
    """Return the change that records a call which a worker will start, `most` times if workers die."""

    return lambda record, now, lost_at: (
        record or Record("queued", digest, ttl, "", now + LEASE_SECONDS, now, most=most, answer=sealed)
    )


def queuing(record: Record | None, now: float, lost_at: float) -> Record | None:
    """Observe a call. It changes to "queued" if it is to be put into the queue again: once for each lease."""
    record = observed(record, now, lost_at)
    if record is None or record.state != "queued" or record.lease_until > now:
        return record
    return replace(record, lease_until=now + LEASE_SECONDS)


def starting(owner: str) -> Change:
    """Return the change that starts a recorded call, unless it runs, or may not be repeated."""

    def change(record: Record | None, now: float, lost_at: float) -> Record | None:
        record = observed(record, now, lost_at)
        if record is None or record.state != "queued":
            return record
        lease, starts = now + LEASE_SECONDS, record.starts + 1
        return replace(record, state="running", owner=owner, lease_until=lease, starts=starts)

    return change


def _of_owner(owner: str, change: Callable[[Record, float], Record | None]) -> Change:
    """Return a change of a call that runs and that `owner` still has."""

    def changed(record: Record | None, now: float, lost_at: float) -> Record | None:
        is_own = record is not None and record.state == "running" and record.owner == owner
        return change(record, now) if record is not None and is_own else record

    return changed


def renewing(owner: str, progress: str) -> Change:
    """Return the change that extends the lease of a call, with the progress of its work."""
    return _of_owner(
        owner, lambda record, now: replace(record, lease_until=now + LEASE_SECONDS, progress=progress)
    )


def finishing(owner: str, answer: bytes) -> Change:
    """Return the change that stores the answer of a call."""
    return _of_owner(
        owner, lambda record, _: replace(record, state="finished", lease_until=0.0, answer=answer)
    )


def releasing(owner: str) -> Change:
    """Return the change that forgets a call which has not begun."""
    return _of_owner(owner, lambda record, now: None)


def leaving(owner: str, state: State) -> Change:
    """Return the change for a call that ended without an answer: lost, cancelled, or to be started again."""

    def change(record: Record, now: float) -> Record:
        new = state
        if state == "queued" and record.is_cancelled:
            new = "cancelled"  # its worker stopped before it looked
        elif state == "queued" and record.starts >= record.most:
            new = "lost"
        lease = now + LEASE_SECONDS if new == "queued" else 0.0
        return replace(record, state=new, owner="", lease_until=lease, queued_at=now)

    return _of_owner(owner, change)


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

    async def change(self, key: str, change: Change) -> tuple[Record | None, bool]:
        """Do what `apply` does without blocking the event loop. Raises StoreError."""
        return await ask(self._store, lambda: self.apply(key, change), part=self._part)

    def apply(self, key: str, change: Change) -> tuple[Record | None, bool]:
        """Change a record atomically. Return the record, and whether this call changed it.

        Raises StoreError.
        """
        answer: tuple[Record | None, bool] = None, False

        def of_value(value: bytes | None, now: float, lost_at: float) -> Entry | None:
            nonlocal answer
            found = None if value is None else _decoded(value)
            changed = change(found, now, lost_at)
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
