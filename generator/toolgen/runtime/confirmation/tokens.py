"""Confirmation tokens: issued for one call as it was shown to the user, redeemed once.

They and tasks are sealed with Fernet, so that nobody else can create, change or read one.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

from toolgen.runtime.errors import ToolError
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.settings import SettingError, Settings
from toolgen.runtime.stores.call_records import CallRecords, open_call_records, redeeming

from .question import Way


@dataclass(frozen=True, slots=True)
class Approved:
    """A call as a user approves it by saying yes: the content of a token, which may be readable."""

    shown: str  # digest of the question and the preview
    way: Way  # how the user is asked
    question_id: str = ""  # in the audit log
    call: str = ""  # digest of the tool and its arguments
    holder: str | None = None  # digest of the principal or the session
    approvers: Sequence[str] = field(default_factory=list)  # who signed (`proof: person`)
    receipt: str | None = None  # digest of what they signed


@dataclass(frozen=True, slots=True)
class Redemption:
    """The outcome of redeeming a token."""

    outcome: Literal["approved", "expired", "refused"]
    approved: Approved | None = None  # of a valid token
    question_id: str = ""  # empty: it is not known


class DeclinedToken(str):
    """The token of a question that was answered, but not with yes: `answer` is the error of the call."""

    answer: ToolError

    @classmethod
    def of(cls, token: str, answer: ToolError) -> DeclinedToken:
        """Return a token with its answer."""
        declined = cls(token)
        declined.answer = answer
        return declined


DEFAULT_SECONDS: Final = 600.0  # that a token is valid


class ConfirmationTokens:
    """Issues and redeems the tokens of one toolkit. Safe to use from several threads and event loops.

    Args:
        keys: the first one seals tokens, all of them open tokens, so that keys can be replaced. Without keys,
            a random key of this process is used, which a fork does not inherit. Without `cryptography`, no
            token is issued, and none is valid.
        store: remembers redeemed tokens, so that each is valid for one call.
        seconds: validity of a token.

    Example:
        tokens = ConfirmationTokens.from_settings(Settings.from_environment())
    """

    def __init__(self, keys: tuple[bytes, ...], store: CallRecords, seconds: float) -> None:
        self.seconds = seconds
        self._keys, self._store = keys, store
        self._lock = threading.Lock()
        self._sealers: dict[int, Sealer | None] = {}  # by process, of random keys; else 0
        if keys:
            self._sealing()

    @classmethod
    def from_settings(cls, settings: Settings) -> ConfirmationTokens:
        """Raises SettingError if a setting is not valid, or if there is a key without a store."""
        keys = () if settings.confirmation_key is None else parse_keys(settings.confirmation_key)
        if keys and settings.confirmation_store is None:
            raise SettingError(
                "TOOLGEN_CONFIRMATION_KEY needs TOOLGEN_CONFIRMATION_STORE, or each process would accept the "
                "same confirmation: sqlite:///path or redis://host:port; memory if there is one process only"
            )
        seconds = DEFAULT_SECONDS if settings.confirmation_expiry is None else settings.confirmation_expiry
        if seconds <= 0:
            raise SettingError("TOOLGEN_CONFIRMATION_EXPIRY must be more than 0 seconds")
        store = open_call_records("confirmation_store", settings.confirmation_store or "memory")
        return cls(keys, store, seconds)

    def use_keys(self, keys: tuple[bytes, ...]) -> None:
        """Replace the keys: the first one seals from now on. Without keys there is nothing to replace."""
        if self._keys and keys:
            with self._lock:
                self._keys, self._sealers = keys, {}

    def issue(self, approved: Approved) -> str | None:
        """Return a new token; None without `cryptography`."""
        sealer = self._sealing()
        if sealer is None:
            return None
        payload = [secrets.token_urlsafe(), time.time() + self.seconds, asdict(approved)]
        return sealer.seal(json.dumps(payload, separators=(",", ":")).encode())

    async def redeem(self, token: object, holder: str | None) -> Redemption:
        """Invalidate a token, and return what it proves, or why it is not valid.

        A token is not valid if it was not sealed here, has expired, was redeemed before, or belongs to
        another holder, who may still redeem it. Raises StoreError.
        """
        sealer = self._sealing()
        payload = sealer.open(token) if sealer is not None and isinstance(token, str) else None
        if payload is None:
            return Redemption("refused")
        token_id, expires_at, found = json.loads(payload)
        approved = Approved(**found)
        # before the store: a token of another holder stays valid for that one
        if approved.holder != holder:
            return Redemption("refused", question_id=approved.question_id)
        if not time.time() < expires_at:
            return Redemption("expired", question_id=approved.question_id)
        # beside those of calls in the same store
        seconds = max(self.seconds, expires_at - time.time())
        _, first = await self._store.change(f"token:{token_id}", redeeming, seconds)
        return Redemption(
            "approved" if first else "refused", approved if first else None, approved.question_id
        )

    def _sealing(self) -> Sealer | None:
        with self._lock:
            # a forked child with the same random key would accept the tokens of its siblings
            process = 0 if self._keys else os.getpid()
            if process not in self._sealers:
                self._sealers = {process: sealer_of(self._keys)}
            return self._sealers[process]


def digest_of_call(
    tool_name: str, arguments: Mapping[str, Any], rule: str = "", headers: Mapping[str, str] | None = None
) -> str:
    """Return a digest of a tool, its arguments and the rule of its spec, independent of the order of keys.

    Headers that the tool may see count, too: they may say for whom it acts.
    """
    return _digest([tool_name, arguments, rule, *([dict(headers)] if headers else [])])


def digest_of_question(message: str, preview: str | None) -> str:
    """Return a digest of a question as it is shown to the user."""
    return _digest([message, preview])


def digest_of_holder(principal: str | None, session_id: str | None) -> str | None:
    """Return a digest of the holder of a token: the principal, or else the session; None for anybody."""
    if principal is not None:
        return _digest(["principal", principal])
    return None if session_id is None else _digest(["session", session_id])


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True)
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")


KEY_BYTES: Final = 32  # https://github.com/fernet/spec
NEW_KEY: Final = (
    "python -c 'import base64, secrets; print(base64.urlsafe_b64encode(secrets.token_bytes(32)).decode())'"
)


class Sealer:
    """Converts bytes to tokens of URL-safe characters: with the first key, and back with any of the keys.

    So keys can be rotated. A token opens for the `purpose` for which it was sealed.

    Raises ModuleNotFoundError without `cryptography`.
    """

    def __init__(self, keys: Sequence[bytes], purpose: bytes) -> None:
        from cryptography.fernet import Fernet, InvalidToken, MultiFernet  # of an extra

        self._purpose, self._invalid = purpose, InvalidToken
        self._keys = MultiFernet([Fernet(base64.urlsafe_b64encode(key)) for key in keys])

    def seal(self, payload: bytes, bound_to: bytes = b"") -> str:
        """Return `payload` as a token, which can be opened with the same `bound_to` only."""
        return self._keys.encrypt(self._bound(bound_to) + payload).decode()

    def open(self, token: str, bound_to: bytes = b"") -> bytes | None:
        """Return the payload of a token that was sealed with one of the keys; None for any other token."""
        try:
            payload = self._keys.decrypt(token.encode())
        except (self._invalid, UnicodeEncodeError):  # half an emoji
            return None
        bound = self._bound(bound_to)
        return payload.removeprefix(bound) if payload.startswith(bound) else None

    def _bound(self, bound_to: bytes) -> bytes:
        return hashlib.sha256(self._purpose + bound_to).digest()


def parse_keys(text: str, variable: str = "TOOLGEN_CONFIRMATION_KEY") -> tuple[bytes, ...]:
    """Return the keys in a variable. Raises SettingError, which does not contain them."""
    keys = []
    for number, word in enumerate(text.split(","), 1):
        unpadded = word.strip().rstrip("=")
        try:
            key = base64.b64decode(unpadded + "=" * (-len(unpadded) % 4), altchars="-_", validate=True)
            fault = f"{len(key)} bytes"
        except ValueError:
            key, fault = b"", "not URL-safe base64"
        if len(key) != KEY_BYTES:
            raise SettingError(
                f"{variable} must be {KEY_BYTES} bytes in URL-safe base64, or several of them "
                f"separated by commas; key {number} is {fault}. Make one with: {NEW_KEY}"
            )
        keys.append(key)
    return tuple(dict.fromkeys(keys))


def sealer_of(keys: Sequence[bytes]) -> Sealer | None:
    """Return a sealer with `keys`; without keys, one with a random key of this process.

    Without `cryptography` raises SettingError if keys are set, else logs a warning and returns None.
    """
    try:
        return Sealer(keys or [secrets.token_bytes(KEY_BYTES)], b"toolgen/confirmation")
    except ModuleNotFoundError as error:
        missing = "the package cryptography: pip install 'toolgen[confirm]'"
        if keys:
            raise SettingError(f"TOOLGEN_CONFIRMATION_KEY needs {missing}") from error
        LOGGER.warning("there are no confirmation tokens, which need %s", missing)
        return None
