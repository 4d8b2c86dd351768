"""Records of calls that may be executed once: which process executes one, and how it ended.

A record is created by the process that claims a call, and has a lease that this process renews while it
works. If the lease ends, the process is dead, and nobody knows what it has done: the record is `lost`, and
stays so. A token that was redeemed is a record, too. The functions below are the only ways in which a record
changes; a store applies them atomically.
"""

from __future__ import annotations

import heapq
import json
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeAlias

from .opening import StoreError, open_store, redis_client, sqlite_connection

LEASE_SECONDS: Final = 30.0
CLOCK_SECONDS: Final = 86_400.0  # by which a clock can be set back, and no token is redeemed twice
MEMORY_LIMIT: Final = 256 * 1024 * 1024  # bytes of all answers in memory
MEMORY_RECORDS: Final = 100_000

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

    def change(record: Record | None, now: float, lost_at: float) -> Record | None:
        if record is not None:
            return record
        return Record("queued", digest, ttl, "", now + LEASE_SECONDS, now, most=most, answer=sealed)

    return change


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


def renewing(owner: str, progress: str) -> Change:
    """Return the change that extends the lease of a call, with the progress of its work."""

    def change(record: Record | None, now: float, lost_at: float) -> Record | None:
        if record is None or record.state != "running" or record.owner != owner:
            return record
        return replace(record, lease_until=now + LEASE_SECONDS, progress=progress)

    return change


def finishing(owner: str, answer: bytes) -> Change:
    """Return the change that stores the answer of a call, if its owner still has it."""

    def change(record: Record | None, now: float, lost_at: float) -> Record | None:
        if record is None or record.state != "running" or record.owner != owner:
            return record
        return replace(record, state="finished", lease_until=0.0, answer=answer)

    return change


def releasing(owner: str) -> Change:
    """Return the change that forgets a call which has not begun."""

    def change(record: Record | None, now: float, lost_at: float) -> Record | None:
        is_own = record is not None and record.state == "running" and record.owner == owner
        return None if is_own else record

    return change


def leaving(owner: str, state: State) -> Change:
    """Return the change for a call that ended without an answer: lost, cancelled, or to be started again."""

    def change(record: Record | None, now: float, lost_at: float) -> Record | None:
        if record is None or record.state != "running" or record.owner != owner:
            return record
        new = state
        if state == "queued" and record.is_cancelled:
            new = "cancelled"  # its worker stopped before it looked
        elif state == "queued" and record.starts >= record.most:
            new = "lost"
        lease = now + LEASE_SECONDS if new == "queued" else 0.0
        return replace(record, state=new, owner="", lease_until=lease, queued_at=now)

    return change


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


class CallRecords(Protocol):
    """Records by key. Safe to use from several threads."""

    blocking: bool  # whether `apply` waits for a disk or a network

    def apply(self, key: str, change: Change) -> tuple[Record | None, bool]:
        """Change a record atomically. Return the record, and whether this call changed it.

        Raises StoreError.
        """
        ...


class MemoryRecords:
    """For one process. A full store refuses new records, because a forgotten call could be executed again."""

    blocking = False

    def __init__(self, limit: int = MEMORY_LIMIT, records: int = MEMORY_RECORDS) -> None:
        self._limit, self._most = limit, records
        self._bytes = 0
        self._lock = threading.Lock()
        self._records: dict[str, tuple[Record, float]] = {}  # with the time of expiry
        self._expiring: list[tuple[float, str]] = []  # a heap; later changes leave old entries behind

    def apply(self, key: str, change: Change) -> tuple[Record | None, bool]:
        with self._lock:
            now = time.time()
            self._forget(now)
            found = self._records.get(key, (None, 0.0))[0]
            changed = change(found, now, 0.0)
            if changed is found:
                return found, False
            more = (0 if changed is None else len(changed.answer)) - (
                0 if found is None else len(found.answer)
            )
            if found is None and len(self._records) >= self._most:
                raise StoreError(f"{self._most} calls are recorded")
            if self._bytes + more > self._limit:
                raise StoreError(f"the answers of recorded calls have more than {self._limit} bytes")
            self._bytes += more
            if changed is None:
                del self._records[key]
            else:
                expires_at = changed.expires_at(now)
                self._records[key] = changed, expires_at
                heapq.heappush(self._expiring, (expires_at, key))
            return changed, True

    def _forget(self, now: float) -> None:
        while self._expiring and self._expiring[0][0] <= now:
            key = heapq.heappop(self._expiring)[1]
            record, expires_at = self._records.get(key, (None, now + 1))
            if record is not None and expires_at <= now:
                self._bytes -= len(record.answer)
                del self._records[key]


class SqliteRecords:
    """For several processes on one machine: a file, locked for each change."""

    blocking = True

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()  # threads of one process queue here, which is fairer than SQLite's lock
        with closing(sqlite_connection(path)) as db:
            db.execute("PRAGMA journal_mode = WAL")  # readers do not wait for a writer
            db.execute(
                "CREATE TABLE IF NOT EXISTS calls "
                "(key TEXT PRIMARY KEY, head TEXT NOT NULL, answer BLOB NOT NULL, expires_at REAL NOT NULL)"
            )
            db.execute("CREATE INDEX IF NOT EXISTS calls_expiry ON calls (expires_at)")

    def apply(self, key: str, change: Change) -> tuple[Record | None, bool]:
        try:
            with closing(sqlite_connection(self._path)) as db:
                # most calls of `apply` only look: they need no lock
                found, now = _read(db, key), time.time()
                if (seen := change(found, now, 0.0)) is found:
                    return seen, False
                with self._lock:
                    return self._write(db, key, change)
        except sqlite3.Error as error:
            raise StoreError(f"{self._path}: {error}") from error

    def _write(self, db: sqlite3.Connection, key: str, change: Change) -> tuple[Record | None, bool]:
        # takes the write lock at once: two processes must not both find the key missing
        db.execute("BEGIN IMMEDIATE")
        now = time.time()
        found = _read(db, key)
        changed = change(found, now, 0.0)
        if changed is None:
            db.execute("DELETE FROM calls WHERE key = ?", (key,))
        elif changed is not found:
            values = (key, _head(changed), changed.answer, changed.expires_at(now))
            db.execute("INSERT OR REPLACE INTO calls VALUES (?, ?, ?, ?)", values)
        db.execute("DELETE FROM calls WHERE expires_at <= ?", (now,))
        db.execute("COMMIT")
        return changed, changed is not found


def _read(db: sqlite3.Connection, key: str) -> Record | None:
    query = "SELECT head, answer FROM calls WHERE key = ? AND expires_at > ?"
    row = db.execute(query, (key, time.time())).fetchone()
    return None if row is None else Record(**json.loads(row[0]), answer=row[1])


def _head(record: Record) -> str:
    return json.dumps({key: value for key, value in asdict(record).items() if key != "answer"})


class RedisRecords:
    """For several machines. The clock is that of Redis.

    A key `…:epoch` shows whether Redis was emptied, for example by a restart without persistence: keys that
    were used before are unknown then, and no new call is begun with any key until they would have expired.

    Raises ModuleNotFoundError without redis-py, ValueError if it refuses the URL.
    """

    blocking = True
    prefix = "toolgen:call:"

    def __init__(self, url: str) -> None:
        self._client: Any = redis_client(url)
        from redis import RedisError, WatchError

        self._failure: type[Exception] = RedisError
        self._watch_failure: type[Exception] = WatchError
        self._epoch: str | None = None  # that this process has seen

    def apply(self, key: str, change: Change) -> tuple[Record | None, bool]:
        try:
            while True:
                try:
                    return self._apply(self.prefix + key, change)
                except self._watch_failure:  # another process was faster
                    continue
        except self._failure as error:
            raise StoreError(f"Redis: {error}") from error

    def _apply(self, name: str, change: Change) -> tuple[Record | None, bool]:
        epoch_name = f"{self.prefix}epoch"
        with self._client.pipeline() as pipe:
            pipe.watch(name, epoch_name)
            raw, written = pipe.mget(name, epoch_name)
            seconds, microseconds = pipe.time()
            now = seconds + microseconds / 1e6
            epoch, lost_at = self._epoch_at(written, now)
            found = _decoded(raw)
            changed = change(found, now, lost_at)
            value = f"{epoch} {lost_at!r}".encode()
            if changed is found and value == written:
                return changed, False
            # WATCH and EXEC are atomic: https://redis.io/docs/latest/develop/using-commands/transactions/
            pipe.multi()
            if value != written:
                pipe.set(epoch_name, value)
            if changed is None:
                pipe.delete(name)
            elif changed is not found:
                milliseconds = max(int((changed.expires_at(now) - now) * 1000), 0) + 1
                pipe.set(name, _head(changed).encode() + b"\n" + changed.answer, px=milliseconds)
            pipe.execute()
            self._epoch = epoch
            return changed, changed is not found

    def _epoch_at(self, written: bytes | None, now: float) -> tuple[str, float]:
        """Return the epoch of the store, and when it was emptied: 0 if it was not."""
        if written is None:
            return secrets.token_hex(8), now if self._epoch is not None else 0.0
        epoch, _, text = written.decode().partition(" ")
        lost_at = float(text)
        if self._epoch not in (None, epoch) and not lost_at:
            lost_at = now  # a process that began after the loss could not know of it
        return epoch, lost_at


def _decoded(raw: bytes | None) -> Record | None:
    if raw is None:
        return None
    head, _, answer = raw.partition(b"\n")
    return Record(**json.loads(head), answer=answer)


_MEMORY: Final = MemoryRecords()  # shared by all toolkits of the process


def open_call_records(setting: str, text: str) -> CallRecords:
    """Return the records for the value of a setting. Raises SettingError if they cannot be used."""
    records: CallRecords = open_store(
        setting, text, memory=lambda: _MEMORY, sqlite=SqliteRecords, redis=RedisRecords
    )
    return records
