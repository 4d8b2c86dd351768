"""Random texts that look real: of each format, and of usual kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final
from uuid import UUID

from toolgen.proof.instances.choices import Dice

FIRST_NAMES: Final = ("Ada", "Grace", "Alan", "Katherine", "Linus", "Barbara", "Edsger", "Margaret")
LAST_NAMES: Final = ("Lovelace", "Hopper", "Turing", "Johnson", "Torvalds", "Liskov", "Dijkstra", "Hamilton")
HEXADECIMAL: Final = "0123456789abcdef"
_NOUNS: Final = ("orders", "articles", "products", "reports", "users", "projects")


def digits(dice: Dice, count: int, of: str = "0123456789") -> str:
    """Return `count` random characters of `of`."""
    return "".join(dice.one_of(of) for _ in range(count))


def date(dice: Dice) -> str:
    """Return a date of 2026."""
    return f"2026-{dice.between(1, 12):02}-{dice.between(1, 28):02}"


def time_of_day(dice: Dice) -> str:
    """Return a time during the day, with its offset."""
    return f"{dice.between(8, 18):02}:{dice.one_of(('00', '15', '30', '45'))}:00Z"


def date_time(dice: Dice) -> str:
    """Return a date and a time."""
    return f"{date(dice)}T{time_of_day(dice)}"


def uuid(dice: Dice) -> str:
    """Return a UUID of version 4."""
    return str(UUID(hex=digits(dice, 32, HEXADECIMAL), version=4))


def person(dice: Dice) -> str:
    """Return a first and a last name."""
    return f"{dice.one_of(FIRST_NAMES)} {dice.one_of(LAST_NAMES)}"


def email(dice: Dice) -> str:
    """Return an address at example.com."""
    return f"{dice.one_of(FIRST_NAMES).lower()}.{dice.one_of(LAST_NAMES).lower()}@example.com"


def url(dice: Dice) -> str:
    """Return a URL below https://example.com."""
    return f"https://example.com/{dice.one_of(_NOUNS)}/{dice.between(1, 999)}"


def host(dice: Dice) -> str:
    """Return a host name."""
    return f"{dice.one_of(_NOUNS)}.example.com"


def ipv4(dice: Dice) -> str:
    """Return an address that is reserved for documentation (RFC 5737)."""
    return f"192.0.2.{dice.between(1, 254)}"


BY_FORMAT: Final[Mapping[str, Callable[[Dice], str]]] = {
    "date": date,
    "date-time": date_time,
    "time": time_of_day,
    "duration": lambda dice: f"PT{dice.between(1, 12) * 5}M",
    "email": email,
    "idn-email": email,
    "hostname": host,
    "idn-hostname": host,
    "ipv4": ipv4,
    "ipv6": lambda dice: f"2001:db8::{dice.between(1, 9999)}",
    "uri": url,
    "uri-reference": url,
    "iri": url,
    "iri-reference": url,
    "uuid": uuid,
    "uri-template": lambda dice: f"https://example.com/{dice.one_of(_NOUNS)}/{{id}}",
    "json-pointer": lambda dice: f"/{dice.one_of(_NOUNS)}/{dice.between(0, 9)}",
    "relative-json-pointer": lambda dice: f"{dice.between(0, 3)}/{dice.one_of(_NOUNS)}",
    "regex": lambda dice: f"^[a-z]{{{dice.between(1, 9)}}}$",
}
"""Texts of each format that JSON Schema defines."""
