"""Links that callers may follow: absolute, without code, data or passwords, and not to private addresses."""

from __future__ import annotations

import re
import socket
import unicodedata
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

_UNSAFE: Final = re.compile(r"[\x00-\x20\x7f-\x9f\\]")
_SCHEME: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*")
_ACTIVE: Final = frozenset({"blob", "data", "javascript", "vbscript"})
_OF_THE_WEB: Final = frozenset({"http", "https", "ws", "wss", "ftp"})
_LOCAL_NAT64: Final = IPv6Network("64:ff9b:1::/48")  # RFC 8215; global in older versions of Python
_LAST_IS_IPV4: Final = tuple(map(IPv6Network, ("64:ff9b::/96", "::/96", "::ffff:0:0:0/96")))
"""NAT64 (RFC 6052), IPv4-compatible (RFC 4291), and IPv4-translated (RFC 2765) addresses."""
_MAX_HOST: Final = 4_096  # characters: 253 are allowed, and one may be written as twelve (%F0%9F%98%80)
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
    if len(host) > _MAX_HOST:  # some characters are eighteen others in NFKC
        return "has a host name that is too long"
    if parts.username is not None or parts.password is not None:
        return "contains a user name or password"
    if not private and _is_private(host):
        return "leads to a private address"
    return None


def _is_private(host: str) -> bool:
    name = _as_browsers_read(host).rstrip(".")
    address = _address(name)
    if isinstance(address, IPv6Address) and address in _LOCAL_NAT64:
        return True
    if address is not None:
        embedded = _embedded(address)
        return not (all(each.is_global for each in embedded) if embedded else address.is_global)
    # a name without a dot is looked up in the local network
    return "." not in name or name.endswith(tuple(f".{each}" for each in _PRIVATE_NAMES))


def _as_browsers_read(host: str) -> str:
    """Return a host as browsers look it up (WHATWG URL): decoded, in NFKC, without invisible characters."""
    text = unicodedata.normalize("NFKC", unquote(host)).casefold()
    text = "".join(each for each in text if unicodedata.category(each) not in ("Cf", "Mn"))
    return unicodedata.normalize("NFKC", text).replace("\u3002", ".")


def _embedded(address: IPv4Address | IPv6Address) -> list[IPv4Address]:
    """Return the IPv4 addresses that gateways read out of an IPv6 address."""
    if isinstance(address, IPv4Address):
        return []
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    if address.sixtofour is not None:
        return [address.sixtofour]
    if address.teredo is not None:
        return list(address.teredo)
    last = IPv4Address(int(address) & 0xFFFF_FFFF)
    return [last] if any(address in network for network in _LAST_IS_IPV4) else []


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
