"""Addresses: loopback, sockets that listen, and URLs from which keys of an issuer may be fetched."""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit


def is_loopback(host: str) -> bool:
    """True for an address that is only reachable from this machine, and for the name `localhost`."""
    if host.lower() == "localhost":
        return True
    try:
        # the zone of an IPv6 address (%eth0) is no part of it
        return ipaddress.ip_address(host.strip("[]").partition("%")[0]).is_loopback
    except ValueError:
        return False


def listen(host: str, port: int) -> socket.socket:
    """Listen on an address. Raises OSError.

    The protocol of the socket is IPPROTO_TCP, which `socket.create_server` does not set: asyncio sets
    TCP_NODELAY only then, and without it every answer on a connection waits 40 ms for the client's
    acknowledgement.
    """
    made = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    return socket.socket(made.family, made.type, socket.IPPROTO_TCP, fileno=made.detach())


def is_trusted_url(url: str) -> bool:
    """True for https, and for http on loopback. The keys of such a URL decide who is authenticated."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
        parts.port  # noqa: B018  raises ValueError
    except ValueError:
        return False
    # a URL with credentials ends up in logs, and a fragment is never sent
    if not host or parts.username is not None or parts.fragment:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))
