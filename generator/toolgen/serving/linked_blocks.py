"""Large blocks of results, which clients read by a link: `resources/read`."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock
from time import monotonic
from typing import Final
from urllib.parse import quote

from toolgen.runtime.content.block import Block
from toolgen.runtime.settings import Settings

from .auth.grant import Grant

LINK_SCHEME: Final = "toolgen://results/"


@dataclass(frozen=True, slots=True)
class LinkedBlock:
    """A block that a link leads to."""

    block: Block
    principal: str | None  # who may read it
    scopes: frozenset[str]  # that the reader needs, as for the tool
    ends: float  # on the clock


class LinkedBlocks:
    """The blocks that a server's links lead to, in memory, until they expire.

    A link cannot be guessed. Beyond `max_linked_bytes` of all blocks, the oldest are forgotten. Safe to use
    from several event loops and threads.
    """

    def __init__(self, settings: Settings, clock: Callable[[], float] = monotonic) -> None:
        self._settings = settings
        self._clock = clock
        self._lock = Lock()
        self._blocks: dict[str, LinkedBlock] = {}  # by the token in the link, oldest first
        self._bytes = 0

    def linked(self, block: Block, grant: Grant, scopes: frozenset[str]) -> Block:
        """Return a link to a block that is too large for a result; any other block as it is."""
        size = len(block.data)
        # a block that the store cannot hold is sent whole, as without links
        if size <= self._settings.max_inline_bytes or size > self._settings.max_linked_bytes:
            return block
        token = secrets.token_urlsafe(24)
        ends = self._clock() + self._settings.link_expiry
        with self._lock:
            self._blocks[token] = LinkedBlock(block, grant.principal, scopes, ends)
            self._bytes += size
            self._forget()
        name = block.name or block.type
        return replace(
            block,
            type="link",
            data=b"",
            name=name,
            description=f"Read it within {self._settings.link_expiry:g} seconds.",
            uri=f"{LINK_SCHEME}{token}/{quote(name, safe='')}",
            sha256="",
        )

    def find(self, uri: str, grant: Grant) -> LinkedBlock | None:
        """Return the block that a link leads to; None if it has expired or `grant` does not allow it."""
        token = uri.removeprefix(LINK_SCHEME).partition("/")[0] if uri.startswith(LINK_SCHEME) else ""
        with self._lock:
            self._forget()
            found = self._blocks.get(token)
        # one answer for all: a caller must not find out which links exist
        if found is None or found.principal != grant.principal or not found.scopes <= grant.scopes:
            return None
        return found

    def seconds_left(self, found: LinkedBlock) -> float:
        """Return how long a link goes on to work."""
        return max(0.0, found.ends - self._clock())

    def _forget(self) -> None:
        """Remove blocks that have expired, and the oldest until the others fit."""
        now = self._clock()
        for token, each in list(self._blocks.items()):
            if each.ends > now and self._bytes <= self._settings.max_linked_bytes:
                break
            del self._blocks[token]
            self._bytes -= len(each.block.data)
