"""Addresses that need no authentication, and URLs that may decide who is authenticated."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def is_loopback(host: str) -> bool:
    """True for an address that only this machine reaches, and for the name `localhost`."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]").partition("%")[0]).is_loopback
    except ValueError:
        return False


def is_trusted_url(url: str) -> bool:
    """True for https, and for http on loopback: what comes from there decides who is let in."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
        parts.port  # noqa: B018  raises ValueError
    except ValueError:
        return False
    if not host or parts.username is not None or parts.fragment:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))
