"""Approvals: opened by calls, signed on a page by people with their own keys, and used for one call.

The store of confirmations, which replicas share, has each approval, and for each caller a list of approvals.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from secrets import token_urlsafe
from typing import Any, Final, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import BaseModel

from toolgen.runtime.confirmation.question import ApprovalAddress, Wanted
from toolgen.runtime.definition.tool_definition import needs_people
from toolgen.runtime.errors import RateLimitedError
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.settings import SettingError, Settings
from toolgen.runtime.stores.store import Entry, MemoryStore, Store, ask, open_store

from .approvers import Approver, Approvers
from .receipts import append_receipt
from .signature import NotVerifiedError, Signature, digest_of, verify

State: TypeAlias = Literal["pending", "approved", "declined", "expired", "changed", "done"]
"""`pending` and `approved` approvals are open; the other states end one."""
Found: TypeAlias = Literal["known", "new", "changed"]

DEFAULT_SECONDS: Final = 3_600.0  # that an approval is open
DEFAULT_APPROVERS: Final = "approvers.toml"
DEFAULT_RECEIPTS: Final = ".toolgen/receipts.jsonl"
_NO_URL: Final = "--approval-url must say where people approve calls: https://NAME, for example"
MAX_OPEN: Final = 20  # approvals of one caller
_MAX_LISTED: Final = 100  # approvals of one caller that are remembered, open or not
_KEPT_SECONDS: Final = 86_400.0  # that an approval is remembered after its time, for its page
_COUNTER_SECONDS: Final = 366 * _KEPT_SECONDS  # that the counter of a key is remembered
_POLL_SECONDS: Final = 0.25
_STORE: Final = "confirmation_store"
_MEMORY: Final = MemoryStore()  # shared by all toolkits of the process


class ApprovalError(Exception):
    """A request of a page is refused: `status` is that of HTTP, `state` that of an ended approval."""

    def __init__(self, status: int, reason: str, state: State | None = None) -> None:
        self.status, self.state = status, state
        super().__init__(reason)


class ApprovalRecord(BaseModel, frozen=True):
    """An approval as it is stored."""

    act: str  # its text
    title: str
    wanted: tuple[str, ...]  # people and groups who may approve; empty: everybody in the file
    caller: str
    call: str
    state: State = "pending"
    signatures: tuple[Signature, ...] = ()
    done_at: float | None = None  # seconds since the epoch
    done_before: float | None = None  # when an earlier approval of the same call was used

    @classmethod
    def load(cls, value: bytes, now: float) -> ApprovalRecord:
        """Read a stored approval, as it is now."""
        record = cls.model_validate_json(value)
        is_over = record.is_open and not now < record.content["expires"]
        return record.but(state="expired") if is_over else record

    def but(self, **changes: Any) -> ApprovalRecord:
        """Return a copy with changes."""
        return self.model_copy(update=changes)

    def entry(self) -> Entry:
        """Return the value that is stored."""
        return Entry(self.model_dump_json().encode(), self.content["expires"] + _KEPT_SECONDS)

    @property
    def content(self) -> dict[str, Any]:
        """The act as data."""
        content: dict[str, Any] = json.loads(self.act)
        return content

    @property
    def id(self) -> str:
        """The id in the address of its page."""
        return str(self.content["id"])

    @property
    def digest(self) -> str:
        """The act that people sign."""
        return digest_of(self.act)

    @property
    def is_open(self) -> bool:
        """True if it may still be signed or used."""
        return self.state in ("pending", "approved")

    @property
    def people(self) -> tuple[str, ...]:
        """The people who have signed, in order."""
        return tuple(dict.fromkeys(each.approver for each in self.signatures))


_Change: TypeAlias = Callable[[ApprovalRecord | None, float], ApprovalRecord | None]
"""Returns the new record, or None to leave it, from the record and the time."""
_List: TypeAlias = dict[str, tuple[str, float, bool]]
"""Digest of a call → the id of its approval, until when it is remembered, and whether it is open."""


class Approvals:
    """The approvals of one process. Safe to use from several threads and event loops.

    Args:
        settings: where approvers, receipts and approvals are, and the address of the pages.

    Raises:
        SettingError: a setting or a file is not valid.
    """

    def __init__(self, settings: Settings) -> None:
        self.url = settings.approval_url  # without a slash at its end; None: not known yet
        self._receipts = Path(settings.receipts or DEFAULT_RECEIPTS)
        self._seconds = settings.confirmation_expiry or DEFAULT_SECONDS
        self._store: Store = open_store(
            _STORE, settings.confirmation_store or "memory", memory=lambda: _MEMORY
        )
        self._file, self.approvers = settings.approvers or DEFAULT_APPROVERS, Approvers()
        if settings.approvers is not None or Path(self._file).exists():
            self.approvers = Approvers.read(self._file)

    def use_url(self, url: str | None) -> None:
        """Take the address of a server unless a setting has one. Raises SettingError if there is none."""
        self.url = self.url or url
        if self.url is None:
            raise SettingError(_NO_URL)

    def reload(self) -> None:
        """Read the file of approvers again. A fault is logged, and changes nothing."""
        try:
            self.approvers = self.approvers.read(self._file)
        except SettingError as error:
            LOGGER.error("the approvers stay as they were: %s", error)
        else:
            self.log_facts()

    def log_facts(self) -> None:
        """Log which file of approvers counts, and where approvals are."""
        where = "memory, for one process" if isinstance(self._store, MemoryStore) else "a shared store"
        known = self.approvers.sha256 or "of no file"
        LOGGER.info("approvers: %s, SHA-256 %s; approvals: %s", self._file, known, where)

    def problems(self, definitions: Collection[Mapping[str, Any]]) -> list[str]:
        """Return why calls of tools with these definitions cannot be approved."""
        problems: list[str] = []
        if self.url is None:  # an ASGI application does not know its address
            problems.append(f"nobody can approve calls: {_NO_URL}")
        elif self.approvers.sha256 is None:
            problems.append(
                f"there is no file {self._file}: nobody can approve calls (toolgen approvers add)"
            )
        for definition in () if problems else definitions:
            rule = definition.get("confirm", {})
            keys = self.approvers.eligible(rule.get("approvers", ()), self.rp_id)
            found, quorum = len({each.name for each in keys}), rule.get("quorum", 1)
            if needs_people(definition) and found < quorum:
                who = f"{found} of its approvers have a key for {self.rp_id}, and it needs {quorum}"
                problems.append(f"calls of {definition['name']} cannot be approved: {who}")
        return problems

    @property
    def origin(self) -> str:
        """The origin of the pages, as browsers send it."""
        parts = urlsplit(self.url or "")
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def rp_id(self) -> str:
        """The host of the pages, to which keys are bound."""
        return urlsplit(self.url or "").hostname or ""

    def address_of(self, record: ApprovalRecord) -> ApprovalAddress:
        """Return where people open an approval."""
        return ApprovalAddress(f"{self.url}/approvals/{record.id}", record.id, record.content["expires"])

    async def find(self, wanted: Wanted) -> tuple[ApprovalRecord, Found]:
        """Return the approval of a call: the one that was opened before, or a new one.

        One that is for something else, or was signed by somebody who no longer may, has changed. Raises
        StoreError, and RateLimitedError for a caller with too many.
        """
        listed = (await self._change_list(wanted.caller, lambda approvals, now: None)).get(wanted.call)
        found = None if listed is None else await self._read(listed[0])
        if found is None or found.state in ("expired", "changed", "done"):
            return await self._open(wanted, found), "new"
        if found.state == "declined" or self._fits(found, wanted):
            return found, "known"
        await self._end(found.id, "changed", "pending", "approved")
        return await self._open(wanted, found), "changed"

    def _fits(self, record: ApprovalRecord, wanted: Wanted) -> bool:
        content = record.content
        stored = {name: content[name] for name in wanted.content}
        if json.dumps(stored, sort_keys=True) != json.dumps(wanted.content, sort_keys=True):
            return False
        keys = {
            (each.id, each.name, each.public_key)
            for each in self.approvers.eligible(wanted.approvers, self.rp_id)
        }
        try:
            for each in record.signatures:
                verify(record.act, each)
        except NotVerifiedError:
            return False
        signed = {(each.credential_id, each.approver, each.public_key) for each in record.signatures}
        is_enough = record.state == "pending" or len(record.people) >= content["quorum"]
        return is_enough and content["origin"] == self.origin and signed <= keys

    async def _open(self, wanted: Wanted, old: ApprovalRecord | None) -> ApprovalRecord:
        """Return a new approval, or the one that another call of the same kind has just opened."""
        new_id, expires = token_urlsafe(), int(time.time() + self._seconds)
        people = {each.name for each in self.approvers.eligible(wanted.approvers, self.rp_id)}
        content = {
            "id": new_id,
            **wanted.content,
            "approvers": sorted(people),
            "origin": self.origin,
            "rp_id": self.rp_id,
            "expires": expires,
        }
        new = ApprovalRecord(
            act=json.dumps(content, ensure_ascii=False, separators=(",", ":")),
            title=wanted.title,
            wanted=wanted.approvers,
            caller=wanted.caller,
            call=wanted.call,
            done_before=None if old is None else old.done_at,
        )
        old_id = None if old is None else old.id
        await self._change(new_id, lambda record, now: new)

        def claim(approvals: _List, now: float) -> _List | None:
            if wanted.call in approvals and approvals[wanted.call][0] != old_id:
                return None  # another call was faster
            others = {call: each for call, each in approvals.items() if call != wanted.call and now < each[1]}
            if sum(is_open for _, _, is_open in others.values()) >= MAX_OPEN:
                raise RateLimitedError(f"{MAX_OPEN} calls of this caller wait for approval already.")
            remembered = sorted(others.items(), key=lambda item: item[1][2])[-_MAX_LISTED:]  # open ones last
            return {**dict(remembered), wanted.call: (new_id, expires, True)}

        listed = await self._change_list(wanted.caller, claim)
        return await self._read(listed[wanted.call][0]) or new

    async def get(self, approval_id: str) -> ApprovalRecord:
        """Return an approval that is open. Raises StoreError, and ApprovalError: 404, 410 if it has ended."""
        record = await self._read(approval_id)
        if record is None:
            raise ApprovalError(404, "There is no such approval.")
        if not record.is_open:
            raise ApprovalError(410, f"This approval is {record.state}.", record.state)
        return record

    def keys_for(self, record: ApprovalRecord) -> list[Approver]:
        """Return the keys that may sign an approval: of its approvers who may approve such calls now, too."""
        content = record.content
        eligible = self.approvers.eligible(record.wanted, content["rp_id"])
        return [each for each in eligible if each.name in content["approvers"]]

    async def sign(self, approval_id: str, credential: Mapping[str, Any]) -> ApprovalRecord:
        """Add a person's signature: an AuthenticationResponseJSON of WebAuthn. Its receipt is written first.

        Raises StoreError, and ApprovalError: 400 if it is none, 403 if it does not verify or its key may not
        sign, 404, 410, 503 if the receipt could not be written.
        """
        record = await self.get(approval_id)
        key = next((each for each in self.keys_for(record) if each.id == credential.get("id")), None)
        if key is None:
            raise ApprovalError(403, "This key may not approve this call.")
        try:
            signature = Signature.of(credential, key)
            counter = verify(record.act, signature)
        except ValueError:
            raise ApprovalError(400, "This is not a signature of WebAuthn.") from None
        except NotVerifiedError as error:
            raise ApprovalError(403, f"The signature is refused: {error}.") from None
        if record.state == "approved" or key.name in record.people:
            return record
        await self._check_counter(key.id, counter)
        try:
            await asyncio.to_thread(append_receipt, self._receipts, record.act, signature)
        except OSError as error:
            LOGGER.error("a receipt was not written, so its approval does not count: %s", error)
            raise ApprovalError(503, "The receipt could not be written, so nothing is approved.") from None

        def add(found: ApprovalRecord | None, now: float) -> ApprovalRecord | None:
            if found is None or found.state != "pending" or signature.approver in found.people:
                return None
            signed = found.but(signatures=(*found.signatures, signature))
            is_enough = len(signed.people) >= found.content["quorum"]
            return signed.but(state="approved") if is_enough else signed

        signed = await self._change(approval_id, add)
        # a call that waits may have used it in the same moment
        is_mine = signed is not None and signature in signed.signatures
        return signed if signed is not None and is_mine else await self.get(approval_id)

    async def decline(self, approval_id: str) -> ApprovalRecord:
        """End an approval with no, as everybody with its address may. Raises as `get`."""
        record = await self.get(approval_id)
        ended = await self._end(approval_id, "declined", "pending", "approved")
        return record.but(state="declined") if ended else await self.get(approval_id)

    async def redeem(self, record: ApprovalRecord) -> bool:
        """Use an approval, once: True for one caller alone. Raises StoreError."""
        return await self._end(record.id, "done", "approved")

    async def release(self, record: ApprovalRecord) -> None:
        """Undo `redeem`, because the tool was not called. Raises StoreError."""

        def reopen(found: ApprovalRecord | None, now: float) -> ApprovalRecord | None:
            return found and found.but(state="approved", done_at=None)

        await self._change(record.id, reopen)
        await self._list(record, is_open=True)

    async def ended(self, approval_id: str, seconds: float) -> bool:
        """Wait until an approval is no longer pending; False if it still is. Raises StoreError."""
        deadline = time.monotonic() + seconds
        while True:
            record = await self._read(approval_id)
            if record is None or record.state != "pending":
                return True
            if time.monotonic() >= deadline:
                return False
            await asyncio.sleep(_POLL_SECONDS)

    async def _end(self, approval_id: str, state: State, *of: State) -> bool:
        """End an approval that is in one of the states `of`. True for who has ended it."""
        is_mine = False

        def end(record: ApprovalRecord | None, now: float) -> ApprovalRecord | None:
            nonlocal is_mine  # of the last time that the store calls this
            is_mine = record is not None and record.state in of
            return record.but(state=state, done_at=now) if record is not None and is_mine else None

        record = await self._change(approval_id, end)
        if record is not None and is_mine:
            await self._list(record, is_open=False)
        return is_mine

    async def _list(self, record: ApprovalRecord, *, is_open: bool) -> None:
        """Note in the caller's list whether an approval is open."""
        approval_id, until = record.id, record.content["expires"]

        def note(approvals: _List, now: float) -> _List | None:
            is_listed = record.call in approvals and approvals[record.call][0] == approval_id
            return {**approvals, record.call: (approval_id, until, is_open)} if is_listed else None

        await self._change_list(record.caller, note)

    async def _check_counter(self, credential_id: str, counter: int) -> None:
        """Note the counter of a key. Raises ApprovalError for a signature that is not newer than the last."""

        def compare(value: bytes | None, now: float, lost_at: float) -> Entry | None:
            last = int(value or 0)
            # keys that do not count send 0: https://www.w3.org/TR/webauthn-3/#sctn-sign-counter
            if (counter or last) and counter <= last:
                raise ApprovalError(403, "This signature is older than the last one of its key.")
            return Entry(b"%d" % counter, now + _COUNTER_SECONDS)

        await self._apply(f"approval-counter:{credential_id}", compare)

    async def _read(self, approval_id: str) -> ApprovalRecord | None:
        return await self._change(approval_id, lambda record, now: None)

    async def _change(self, approval_id: str, change: _Change) -> ApprovalRecord | None:
        """Change an approval atomically. Return it as it is then; None if there is none."""
        answer: ApprovalRecord | None = None

        def of_value(value: bytes | None, now: float, lost_at: float) -> Entry | None:
            nonlocal answer
            found = None if value is None else ApprovalRecord.load(value, now)
            changed = change(found, now)
            answer = changed or found
            return None if changed is None else changed.entry()

        await self._apply(f"approval:{approval_id}", of_value)
        return answer

    async def _change_list(self, caller: str, change: Callable[[_List, float], _List | None]) -> _List:
        """Change the list of a caller atomically, and return it as it is then."""
        answer: _List = {}

        def of_value(value: bytes | None, now: float, lost_at: float) -> Entry | None:
            nonlocal answer
            found: _List = json.loads(value or b"{}")
            changed = change(found, now)
            answer = found if changed is None else changed
            last = max((until for _, until, _ in answer.values()), default=now) + _KEPT_SECONDS
            return None if changed is None else Entry(json.dumps(changed).encode(), last)

        await self._apply(f"approvals-of:{caller}", of_value)
        return answer

    async def _apply(self, key: str, change: Callable[[bytes | None, float, float], Entry | None]) -> None:
        await ask(self._store, lambda: self._store.apply(key, change), part="confirmation store")
