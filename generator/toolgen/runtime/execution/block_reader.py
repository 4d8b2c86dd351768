"""Read the content of a result: images, audio, files, links and texts become blocks.

Everything is read before anything is sent, each source once, and no more than a result may have. Sources
are read in a worker thread, async iterables in the event loop.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import AsyncIterable, Sequence
from inspect import iscoroutinefunction
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from os import PathLike
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import SplitResult, unquote, urlsplit

from toolgen.base import KIB
from toolgen.base.files import Folder, IrregularFileError, OutsideError, OversizedFileError, read_named
from toolgen.runtime.content.block import Block, digest
from toolgen.runtime.content.media_type import SVG, MediaTypeError, media_type_of
from toolgen.runtime.content.values import Content, Link, Media, Text, ToolResult, is_content
from toolgen.runtime.contract.result import NO_RESPONSE, BrokenContract
from toolgen.runtime.contract.tool_contract import ToolContract
from toolgen.runtime.errors import TooLargeError

from .threads.thread_run import Place, ThreadRun

if TYPE_CHECKING:
    from .environment import Environment

_COPIED: Final = ("media_type", "name", "title", "description", "uri", "priority", "size")


async def read_content(
    contract: ToolContract, returned: Any, environment: Environment, place: Place
) -> ToolResult[Any, Block]:
    """Return the response and the blocks of what a method returned, which runs in `place`.

    Raises BrokenContract for a source that cannot be a block, TooLargeError beyond `max_result_bytes`.
    """
    response, content = _take_apart(contract, returned)
    reader = BlockReader(contract, environment, environment.settings.max_result_bytes)
    blocks = [await reader.read(item, place) for item in content]
    return ToolResult(response, *blocks)


def _take_apart(contract: ToolContract, returned: Any) -> tuple[Any, Sequence[Content]]:
    """Return the response and the content of what an implementation returned."""
    if isinstance(returned, ToolResult):
        strangers = [each for each in returned.content if not is_content(each)]
        if strangers:
            kind = type(strangers[0]).__name__
            raise BrokenContract(f"the content of its ToolResult holds a {kind}, which is not content")
        return returned.response, returned.content
    if is_content(returned):
        return NO_RESPONSE, (returned,)
    # an empty list satisfies `all`, and is a response where the spec describes one
    is_empty_response = returned == [] and contract.response_schema is not None
    if isinstance(returned, list | tuple) and all(map(is_content, returned)) and not is_empty_response:
        return NO_RESPONSE, returned
    return returned, ()


class BlockReader:
    """Turns the content of one result into blocks.

    Args:
        contract: the contract of the tool, which declares content.
        environment: has the worker threads.
        limit: bytes of all blocks together.
        subject: what is too large beyond that, a result or a stream.
    """

    def __init__(
        self, contract: ToolContract, environment: Environment, limit: int, *, subject: str = "result"
    ) -> None:
        assert contract.content is not None
        self._contract = contract
        self._content = contract.content
        self._environment = environment
        self._left = self._limit = limit
        self._name = subject
        self._count = 0

    async def read(self, item: Content, place: Place) -> Block:
        """Return a block; media are read and hashed in a worker thread.

        Raises BrokenContract for a source that cannot be a block, TooLargeError beyond the limit.
        """
        data = await place.awaited(self._read_stream(item)) if is_async(item) else None
        # in a worker thread, reading may block
        if place.is_thread or not isinstance(item, Media):
            return self._finished(item, data)
        work = ThreadRun(self._contract.name, lambda _: self._finished(item, data))
        block: Block = await work.result(self._environment.pool, None)
        return block

    async def _read_stream(self, item: Content) -> bytes:
        """Return the bytes of a block whose source is an async iterable."""
        media = cast("Media", item)
        try:
            return await read_stream(cast("Any", media.source), self._left)
        except ContentSourceError as error:
            raise self._unreadable(error) from None

    def _finished(self, item: Content, data: bytes | None) -> Block:
        """Return the block of an item; `data` is that of an async iterable. May block."""
        block = self._block(item, data)
        if block.type != "link" and not block.data:
            raise BrokenContract(f"{self._subject} is empty")
        self._left -= len(block.data)
        if self._left < 0:
            raise self._too_large()
        self._count += 1
        return self._content.annotated(block)

    def _too_large(self) -> TooLargeError:
        return TooLargeError(
            f"The {self._name} of {self._contract.name} has more than {self._limit} bytes. Ask for less."
        )

    @property
    def _subject(self) -> str:
        return f"content[{self._count}]"

    def _block(self, item: Content, data: bytes | None) -> Block:
        if isinstance(item, Link):
            if fault := link_fault(item.uri, private=item.private):
                raise BrokenContract(f"{self._subject}: the link {fault}")
            return _block_of(item, b"")
        if isinstance(item, Text):
            # lone surrogates cannot be sent
            return _block_of(item, item.text.encode(errors="backslashreplace"))
        try:
            if data is None:
                data = read_source(item, self._left)
            return self._media(item, data)
        except ContentSourceError as error:
            raise self._unreadable(error) from None
        except MediaTypeError as error:
            raise BrokenContract(f"{self._subject}: {error}") from None

    def _media(self, item: Media, data: bytes) -> Block:
        name = item.name
        if name is None and isinstance(item.source, PathLike):
            # the folder of a file is private to the server
            name = PurePath(item.source).name
        declared = self._content.media_types(item.type)
        media_type = media_type_of(item.type, data, given=item.media_type, name=name, declared=declared)
        # browsers run scripts in an SVG: only a spec that declares the type may send one
        if media_type == SVG and SVG not in declared and self._content.rules is not None:
            raise BrokenContract(
                f"{self._subject} is an SVG, which can hold scripts: name {SVG} in `media_types` of its spec"
            )
        return _block_of(item, data, media_type=media_type, name=name)

    def _unreadable(self, error: ContentSourceError) -> Exception:
        if isinstance(error, OversizedError):
            return self._too_large()
        return BrokenContract(f"{self._subject} cannot be read: {error}")


def _block_of(item: Content | Media, data: bytes, **known: Any) -> Block:
    """Return the block of an item and its data; a link has none. `known` replaces fields of the item."""
    fields: dict[str, Any] = {name: getattr(item, name, None) for name in _COPIED}
    if not isinstance(item, Link):
        fields |= {"size": len(data), "sha256": digest(data)}
    return Block(item.type, data, audience=item.audience or (), **(fields | known))


_CHUNK: Final = 256 * KIB  # bytes


class ContentSourceError(ValueError):
    """A source cannot be a block: the message says why, without the path."""


class OversizedError(ContentSourceError):
    """A source has more bytes than it may have."""


def is_async(item: Content) -> bool:
    """True if the source is read in the event loop; an async file is iterated, too."""
    source = getattr(item, "source", None)
    read = getattr(source, "read", None)
    return isinstance(source, AsyncIterable) and (read is None or iscoroutinefunction(read))


def read_source(media: Media, limit: int) -> bytes:
    """Return the bytes of a source that is not an async iterable. May block.

    Raises:
        OversizedError: for more than `limit` bytes; no more than that are read.
        ContentSourceError: for anything but a regular file below `root`.
        OSError: as the operating system does.
    """
    source = media.source
    if isinstance(source, bytes | bytearray | memoryview):
        size = source.nbytes if isinstance(source, memoryview) else len(source)
        if size > limit:
            raise OversizedError
        return bytes(source)
    # `root` keeps a path that a caller has chosen inside a folder
    if isinstance(source, os.PathLike):
        return _read_file(Path(source), media.root, limit)
    if isinstance(source, AsyncIterable):
        raise TypeError("an async iterable is read in the event loop")
    data = bytearray()
    while chunk := source.read(_CHUNK):
        _append(data, chunk, limit)
    return bytes(data)


async def read_stream(source: AsyncIterable[bytes], limit: int) -> bytes:
    """Return the bytes of an async iterable, and close it. Raises OversizedError or ContentSourceError."""
    data = bytearray()
    try:
        async for chunk in source:
            _append(data, chunk, limit)
    finally:
        close = getattr(source, "aclose", None)
        if close is not None:
            await close()
    return bytes(data)


def _append(data: bytearray, chunk: object, limit: int) -> None:
    if not isinstance(chunk, bytes | bytearray | memoryview):
        raise ContentSourceError(f"it gives {type(chunk).__name__}, not bytes: open files in binary mode")
    if len(data) + len(chunk) > limit:
        raise OversizedError
    data += chunk


def _read_file(path: Path, root: str | os.PathLike[str] | None, limit: int) -> bytes:
    try:
        if root is None:
            return read_named(path, limit=limit)
        return Folder(root).read(_below(path, root), limit=limit)
    except OversizedFileError:
        raise OversizedError from None
    except OutsideError:
        raise ContentSourceError("it is outside of its root") from None
    except (IrregularFileError, IsADirectoryError):
        raise ContentSourceError("it is not a regular file") from None


def _below(path: Path, root: str | os.PathLike[str]) -> str:
    """Return a path relative to `root`; one that begins with `..` is refused by the folder."""
    if not path.is_absolute():
        return path.as_posix()
    real = os.path.join(os.path.realpath(path.parent), path.name)
    return os.path.relpath(real, os.path.realpath(root)).replace(os.sep, "/")


_UNSAFE: Final = re.compile(r"[\x00-\x20\x7f-\x9f\\]")
_SCHEME: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*")
_ACTIVE: Final = frozenset({"blob", "data", "javascript", "vbscript"})
_OF_THE_WEB: Final = frozenset({"http", "https", "ws", "wss", "ftp"})
_WITH_IPV4: Final = tuple(map(IPv6Network, ("::/8", "64:ff9b::/32", "2002::/16")))
"""IPv6 addresses in which gateways read an IPv4 address: mapped and compatible ones, NAT64, 6to4."""
_MAX_HOST: Final = 1_000  # characters; 253 are allowed (RFC 1035), and one may be written as nine (%E3%80%82)
_PRIVATE_NAMES: Final = ("localhost", "local", "internal", "intranet", "lan", "home.arpa")


def link_fault(uri: str, *, private: bool = False) -> str | None:
    """Return what is wrong with a link, as the end of a sentence and without its address; None if it is fine.

    Names of hosts are not looked up: only addresses and names that are private by themselves are recognised.

    Args:
        uri: the address.
        private: private addresses are allowed.
    """
    if _UNSAFE.search(uri):
        return "contains a space or a control character"
    try:
        parts = urlsplit(uri)
        host = parts.hostname
    except ValueError:
        return "is not an absolute address"
    if not _SCHEME.fullmatch(parts.scheme) or len(uri) == len(parts.scheme) + 1:
        return "is not an absolute address"
    return _fault_of_scheme(parts, host, private=private)


def _fault_of_scheme(parts: SplitResult, host: str | None, *, private: bool) -> str | None:
    if parts.scheme in _ACTIVE:
        return f"has the scheme {parts.scheme}, which runs code or carries data"
    if parts.scheme == "file":
        return None if private else "has the scheme file, which names a file of this machine"
    if parts.scheme not in _OF_THE_WEB:
        return None  # of the application's own
    if not host:
        return "has no host"
    if len(host) > _MAX_HOST:
        return "has a host name that is too long"
    if parts.username is not None or parts.password is not None:
        return "contains a user name or password"
    try:
        # as browsers look it up: decoded, in NFKC, without invisible characters
        name = unquote(host).encode("idna").decode().lower().rstrip(".")
    except UnicodeError:
        return "has a host name that is not valid"
    return "leads to a private address" if _is_private(name) and not private else None


def _is_private(host: str) -> bool:
    address = _address(host)
    if isinstance(address, IPv6Address) and any(address in network for network in _WITH_IPV4):
        return True
    if address is not None:
        return not address.is_global
    # a name without a dot is looked up in the local network
    return "." not in host or host.endswith(tuple(f".{each}" for each in _PRIVATE_NAMES))


def _address(host: str) -> IPv4Address | IPv6Address | None:
    """Return the address that a host is, in any notation that browsers read: 2130706433 is 127.0.0.1."""
    try:
        return ip_address(host.partition("%")[0])
    except ValueError:
        pass
    try:
        # browsers read 0x7f.1 and 017700000001 as 127.0.0.1, and so does inet_aton
        return IPv4Address(socket.inet_aton(host))
    except (OSError, ValueError):
        return None
