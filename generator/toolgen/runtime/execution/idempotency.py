"""Admit a call before it is executed: its idempotency key is claimed, and it is counted in its limits.

A key belongs to a principal and a tool. The first call with it is executed, and every other one gets its
answer, also from other processes with the same store. Whatever happens to the first call after its
implementation has begun, no other call with the key is executed: if nobody knows how it ended, the answer is
`outcome_unknown`. A store that does not answer refuses keys and limits, and delays nothing else.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Coroutine
from dataclasses import asdict, dataclass
from functools import cached_property
from time import monotonic
from typing import Any, Final
from uuid import uuid4

from toolgen.base import MIB
from toolgen.runtime import errors
from toolgen.runtime.confirmation.tokens import digest_of_call
from toolgen.runtime.context import Caller, ToolContext
from toolgen.runtime.contract.tool_contract import ToolContract
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.rate_limits import RateLimits
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.response_codec import dump_response, load_response
from toolgen.runtime.settings import Settings
from toolgen.runtime.stores import call_records
from toolgen.runtime.stores.call_records import LEASE_SECONDS, CallRecords, Change, Record, open_call_records
from toolgen.runtime.stores.store import StoreError
from toolgen.runtime.task import Task, TaskStarted

WAIT_SECONDS: Final = 30.0  # that a call waits for the first one with its key
MAX_ANSWER: Final = 16 * MIB  # bytes of an answer that is kept
_PAUSES: Final = (0.02, 1.0)  # seconds between two looks at a running call: the first, and the longest
_KEY: Final = re.compile(r"[\x21-\x7e]{1,255}")

_background: set[asyncio.Task[None]] = set()  # the event loop keeps weak references only


@dataclass(slots=True, eq=False)
class AdmittedCall:
    """A call that has to be admitted."""

    contract: ToolContract
    arguments: Any  # as received; validated before they are used here
    context: ToolContext
    caller: Caller
    metadata: dict[str, Any]  # of the response

    @property
    def name(self) -> str:
        """The name of its record: a digest, because keys and principals are for nobody else to read."""
        parts = [self.context.principal, self.contract.name, self.caller.idempotency_key]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    @property
    def digest(self) -> str:
        """A digest of its arguments."""
        return digest_of_call(self.contract.name, self.arguments, headers=self.context.headers)


class Claim:
    """The claim of one process on a call, which it renews until the call has ended."""

    def __init__(self, records: CallRecords, name: str, owner: str) -> None:
        self._records, self._name, self._owner = records, name, owner
        self._is_settled = False
        self._renewing = asyncio.get_running_loop().create_task(self._renew())

    async def settle(self, response: ToolResponse) -> None:
        """Store the answer of the call. A caller that leaves meanwhile does not end this."""
        if self._is_settled:  # a task has the answer
            return
        answer = dump_response(response)
        if len(answer) > MAX_ANSWER:
            LOGGER.error("an answer of %s is too large to be kept: %d bytes", response.tool_name, len(answer))
            await self._settle(call_records.leaving, "lost")
        else:
            await self._settle(call_records.finishing, answer)

    async def link(self, task: Task) -> None:
        """Let a task give the answer of the call."""
        await self._settle(call_records.finishing, json.dumps({"task": asdict(task)}).encode())

    async def release(self) -> None:
        """Free the key: the implementation has not begun."""
        await self._settle(call_records.releasing)

    def close(self) -> None:
        """End the claim. If it was not settled, nobody knows how the call ended."""
        self._renewing.cancel()
        if not self._is_settled:
            self._is_settled = True
            _start(self._apply(call_records.leaving, "lost"))

    async def _settle(self, change: Change, *arguments: Any) -> None:
        self._is_settled = True
        await asyncio.shield(_start(self._apply(change, *arguments)))

    async def _apply(self, change: Change, *arguments: Any) -> None:
        try:
            record, changed = await self._records.change(self._name, change, self._owner, *arguments)
        except StoreError as error:
            LOGGER.error("how a call with an idempotency key ended could not be stored: %s", error)
        else:
            if not changed and (record is None or record.state == "lost"):
                LOGGER.error("a call ended after its claim on the idempotency key, whose outcome is unknown")

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(LEASE_SECONDS / 3)
            try:
                await self._records.change(self._name, call_records.renewing, self._owner, "")
            except StoreError as error:
                LOGGER.warning("the claim on an idempotency key could not be renewed: %s", error)


class Admission:
    """The limits and keys of a toolkit's calls. The stores are opened when they are first needed."""

    def __init__(self, settings: Settings) -> None:
        """Raises SettingError if a store that is configured cannot be used."""
        self._settings = settings
        if settings.idempotency_store is not None:
            self.records  # noqa: B018  opens it
        if settings.rate_limit_store is not None:
            self.limits  # noqa: B018

    @cached_property
    def records(self) -> CallRecords:
        """The records of calls with a key."""
        return open_call_records("idempotency_store", self._settings.idempotency_store or "memory")

    @cached_property
    def limits(self) -> RateLimits:
        """The limits of calls."""
        return RateLimits.from_setting(self._settings.rate_limit_store or "memory")

    async def find(self, call: AdmittedCall) -> ToolResponse | None:
        """Return the response if a call with its key was executed before: its user is not asked again."""
        record = await self._apply(call, call_records.observed)
        if record is not None and (record.state != "running" or record.digest != call.digest):
            return self._answer(call, record)
        return None

    async def enter(self, call: AdmittedCall) -> Claim | ToolResponse | None:
        """Claim the key of a call that will be executed now, and count it. Raises what refuses it.

        Return the claim, None without a key, or the response of a call that was executed before.
        """
        claim = None
        if call.caller.idempotency_key is not None:
            claimed = await self._claim(call, call.contract.idempotency or 0)
            if isinstance(claimed, ToolResponse):
                return claimed
            claim = claimed
            call.context.has_begun = False  # the preview has run before
        try:
            await self.count(call)
        except BaseException:
            if claim is not None:
                await claim.release()
            raise
        return claim

    async def _claim(self, call: AdmittedCall, ttl: int) -> Claim | ToolResponse:
        digest, owner = call.digest, uuid4().hex
        deadline, pause = monotonic() + WAIT_SECONDS, _PAUSES[0]
        while True:
            record = await self._apply(call, call_records.claiming, owner, digest, ttl)
            assert record is not None
            if record.belongs_to(owner):
                return Claim(self.records, call.name, owner)
            if record.state != "running" or record.digest != digest:
                return self._answer(call, record)
            if monotonic() > deadline:
                raise errors.OverloadedError(
                    "The first call with this idempotency key is still running.", retry_after=1
                )
            await asyncio.sleep(pause)
            pause = min(_PAUSES[1], pause * 2)

    def _answer(self, call: AdmittedCall, record: Record) -> ToolResponse:
        """Return the response of a call whose key was used before. Raises TaskStarted if a task has it."""
        if record.digest != call.digest:
            raise errors.IdempotencyConflictError
        if record.state != "finished":
            raise errors.OutcomeUnknownError
        if record.answer.startswith(b'{"task"'):
            raise TaskStarted(Task(**json.loads(record.answer)["task"]))
        contract = call.contract
        metadata = {**call.metadata, "replayed": True}
        return load_response(record.answer, contract.name, contract.declared, metadata)

    async def _apply(self, call: AdmittedCall, change: Change, *arguments: Any) -> Record | None:
        try:
            return (await self.records.change(call.name, change, *arguments))[0]
        except StoreError as error:
            raise _unavailable(call, "idempotency key", error, errors.NotReadyError) from None

    async def count(self, call: AdmittedCall) -> None:
        """Count a call in the limit of its tool, if it has one. Raises RateLimitedError beyond it."""
        limit = call.contract.rate_limit
        if limit is None:
            return
        names = (call.contract.name, call.context.principal or "")
        try:
            seconds = await self.limits.take(limit, "tool", *names)
        except StoreError as error:
            raise _unavailable(call, "limit of calls", error, errors.RateLimitedError) from None
        if seconds is not None:
            raise errors.RateLimitedError(retry_after=seconds)


def check_key(contract: ToolContract, key: object) -> None:
    """Raise InvalidRequestError unless a call of the tool may have the idempotency key."""
    if contract.idempotency is None:
        raise errors.InvalidRequestError(
            f"{contract.name} takes no idempotency keys, so this call would not be protected by one: "
            "leave the key out."
        )
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise errors.InvalidRequestError("An idempotency key has 1 to 255 visible ASCII characters.")


def _unavailable(
    call: AdmittedCall, what: str, error: StoreError, kind: type[errors.ToolError]
) -> errors.ToolError:
    call_id, name = call.context.call_id, call.contract.name
    LOGGER.error("the %s of call %s of %s could not be checked: %s", what, call_id, name, error)
    return kind(f"The {what} could not be checked, so nothing was done. Reference: {call_id}.")


def _start(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    task = asyncio.get_running_loop().create_task(work)
    _background.add(task)
    task.add_done_callback(_background.discard)
    return task
