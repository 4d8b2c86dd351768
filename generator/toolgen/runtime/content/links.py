"""Links that callers may follow: absolute, without code, data or passwords, and not to private addresses."""

from __future__ import annotations

import re
import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

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
