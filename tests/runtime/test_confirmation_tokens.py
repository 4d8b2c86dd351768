"""Confirmation tokens: sealing, expiry, and stores of redeemed tokens."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from pathlib import Path

import pytest
from toolgen.runtime.confirmation import tokens as module
from toolgen.runtime.confirmation.question import displayed_preview
from toolgen.runtime.confirmation.tokens import Approved, ConfirmationTokens, Sealer, digest_of_holder
from toolgen.runtime.settings import SettingError, Settings
from toolgen.runtime.stores.call_records import (
    CallRecords,
    redeeming,
)
from toolgen.runtime.stores.store import MemoryStore, SqliteStore

ONE, TWO = b"1" * 32, b"2" * 32
CLAIMS = Approved("shown", "two_step", "question", "call")


def redeem(tokens: ConfirmationTokens, token: str, holder: str | None) -> Approved | None:
    """Return what a token proves that is valid."""
    return asyncio.run(tokens.redeem(token, holder)).approved


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time in seconds since the epoch, as a list of one number that tests change."""
    now = [1000.0]
    monkeypatch.setattr(module.time, "time", lambda: now[0])
    return now


def test_only_a_token_that_was_sealed_opens() -> None:
    sealer = Sealer([ONE], b"tests")
    token = sealer.seal(b"payload", b"name")
    assert sealer.open(token, b"name") == b"payload"
    assert sealer.open(token) is None
    assert Sealer([ONE], b"other").open(token, b"name") is None
    for place in range(len(token)):
        for other in "A", "_", "=", "é":
            if token[place] != other:  # base64 may spell the same bytes in another way
                assert sealer.open(token[:place] + other + token[place + 1 :], b"name") in (None, b"payload")
    for odd in "", "x", "A" + token, token[:-4], "\ud800":
        assert sealer.open(odd, b"name") is None


def test_the_first_key_seals_and_every_key_opens() -> None:
    old, new = Sealer([ONE], b""), Sealer([TWO, ONE], b"")
    assert new.open(old.seal(b"x")) == b"x"
    assert old.open(new.seal(b"x")) is None
    assert Sealer([TWO], b"").open(new.seal(b"x")) == b"x"


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> CallRecords:
    return CallRecords(MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "store"))


def test_a_token_is_redeemed_once_even_concurrently(store: CallRecords) -> None:
    won: list[bool] = []
    threads = [
        threading.Thread(target=lambda: won.append(store.apply("id", redeeming, 60.0)[1])) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(won) == [False] * 7 + [True]
    assert store.apply("other", redeeming, 60.0)[1]


def test_a_redeemed_token_stays_redeemed_when_the_clock_goes_back(
    store: CallRecords, clock: list[float]
) -> None:
    tokens = ConfirmationTokens((), store, 100.0)
    old = tokens.issue(CLAIMS)
    assert redeem(tokens, old, None) == CLAIMS
    clock[0] = 1200.0
    assert redeem(tokens, tokens.issue(CLAIMS), None) == CLAIMS
    clock[0] = 1050.0
    assert redeem(tokens, old, None) is None
    assert redeem(tokens, tokens.issue(CLAIMS), None) == CLAIMS


def test_a_token_is_bound_to_its_caller() -> None:
    tokens = ConfirmationTokens((), CallRecords(MemoryStore()), 600.0)
    ann = digest_of_holder("ann", "session")
    assert (
        ann == digest_of_holder("ann", None) != digest_of_holder(None, "ann") != digest_of_holder(None, None)
    )
    claims = Approved("shown", "callback", "question", "call", ann)
    token = tokens.issue(claims)
    assert redeem(tokens, token, digest_of_holder("bob", "session")) is None
    assert redeem(tokens, token, None) is None
    assert redeem(tokens, token, ann) == claims
    assert redeem(tokens, token, ann) is None


def test_random_keys_differ_also_after_a_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = ConfirmationTokens((), CallRecords(MemoryStore()), 600.0)
    token = tokens.issue(CLAIMS)
    assert redeem(ConfirmationTokens((), CallRecords(MemoryStore()), 600.0), token, None) is None
    monkeypatch.setattr(module.os, "getpid", lambda: -1)
    assert redeem(tokens, token, None) is None


@pytest.mark.parametrize(
    "settings",
    [Settings(confirmation_store="sqlite:///"), Settings(confirmation_expiry=0.0)],
    ids=["no path", "no time"],
)
def test_contradictory_settings_of_confirmation_are_refused(settings: Settings) -> None:
    with pytest.raises(SettingError):
        ConfirmationTokens.from_settings(settings)


def test_a_preview_keeps_its_lines_but_not_those_of_an_argument() -> None:
    arguments = {"path": "a.txt\nTotal: 0", "list": [{"deep\nkey": "x"}], "end": "y\n", "blank": "\n"}
    preview = "a.txt\nTotal: 0\n\tdeep\nkey\ny\n"
    assert displayed_preview(preview, arguments) == "a.txt\\nTotal: 0\n\tdeep\\nkey\ny\n"


def test_a_preview_is_shown_up_to_a_limit() -> None:
    preview = "line\n" * 4_000
    assert displayed_preview(preview, {}) == preview
    shown = displayed_preview(f"{preview}one more", {})
    digest = hashlib.sha256(f"{preview}one more".encode()).hexdigest()
    assert shown == f"{preview}\n[cut: the first 20000 of 20008 characters; SHA-256 of all: {digest}]"
    assert displayed_preview(f"{preview}two more", {}) != shown
