"""Realistic texts and numbers, chosen by format, by the name of a property, and by bounds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from toolgen.schema.instances.choices import Dice
from toolgen.schema.instances.numbers import NumberFacts
from toolgen.schema.instances.strings import StringFacts
from toolgen.schema.instances.texts import word

_TRIES: Final = 6


def realistic_scalar(kind: str, schemas: Sequence[Mapping[str, Any]], name: str, dice: Dice) -> Iterator[Any]:
    """Yield realistic values of a kind for a property called `name`, best first; they may be invalid."""
    words = words_of(name)
    if kind == "string":
        yield from _texts(StringFacts.of(schemas), words, dice)
    else:
        yield from _numbers(NumberFacts.of(schemas), words, dice, whole=kind == "integer")


def words_of(name: str) -> list[str]:
    """Return the words of a property's name in lower case: `createdAt`, `created_at` → created, at."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    return [found.lower() for found in re.findall(r"[^\W_]+", spaced)]


# Texts


def _texts(facts: StringFacts, words: list[str], dice: Dice) -> Iterator[str]:
    for name in facts.formats:
        if name in _BY_FORMAT:
            yield _BY_FORMAT[name](dice)
    # `city_name` is a city; a word alone is what it says
    order = [*reversed(words[:-1]), "name"] if words[-1:] == ["name"] else list(reversed(words))
    named = next((found for key in order if (found := _BY_NAME.get(_singular(key)))), None)
    if facts.patterns:
        if named:
            yield from dice.shuffled(named(dice))
        yield from (word(facts.patterns[0], dice, facts.least, facts.most) for _ in range(_TRIES))
        return
    if facts.formats:
        return
    choices = dice.shuffled(named(dice) if named else _PLAIN)
    yield from choices
    text = " ".join(choices)
    while len(text) < facts.least:
        text = f"{text} {dice.one_of(_PLAIN)}"
    yield text[: int(min(len(text), max(facts.least, min(facts.most, 60))))].strip()
    yield text[: int(min(len(text), facts.most))]
    yield text[: facts.least]


def _singular(text: str) -> str:
    if text.endswith("ies"):
        return text[:-3] + "y"
    return text.removesuffix("s") if not text.endswith(("ss", "us", "address")) else text


def _digits(dice: Dice, count: int, letters: str = "0123456789") -> str:
    return "".join(dice.one_of(letters) for _ in range(count))


def _date(dice: Dice) -> str:
    return f"2026-{dice.between(1, 12):02}-{dice.between(1, 28):02}"


def _time(dice: Dice) -> str:
    return f"{dice.between(8, 18):02}:{dice.one_of(('00', '15', '30', '45'))}:00Z"


def _date_time(dice: Dice) -> str:
    return f"{_date(dice)}T{_time(dice)}"


def _uuid(dice: Dice) -> str:
    digits = _digits(dice, 32, "0123456789abcdef")
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"


def _email(dice: Dice) -> str:
    return f"{dice.one_of(_FIRST).lower()}.{dice.one_of(_LAST).lower()}@example.com"


def _url(dice: Dice) -> str:
    return f"https://example.com/{dice.one_of(_NOUNS)}/{dice.between(1, 999)}"


def _number_text(dice: Dice) -> str:
    return f"{_digits(dice, 4, '123456789')}"


_FIRST: Final = ("Ada", "Grace", "Alan", "Katherine", "Linus", "Barbara", "Edsger", "Margaret")
_LAST: Final = ("Lovelace", "Hopper", "Turing", "Johnson", "Torvalds", "Liskov", "Dijkstra", "Hamilton")
_NOUNS: Final = ("orders", "articles", "products", "reports", "users", "projects")
_PLAIN: Final = ("blue widget", "spring order", "first draft", "weekly report", "north office", "main list")
_SENTENCES: Final = (
    "The order was received and will be shipped on Monday.",
    "Please check the attached report before the meeting.",
    "Everything works as expected.",
    "Two of the three items are in stock.",
)

_BY_FORMAT: Final[Mapping[str, Callable[[Dice], str]]] = {
    "date": _date,
    "date-time": _date_time,
    "time": _time,
    "duration": lambda dice: f"PT{dice.between(1, 12) * 5}M",
    "email": _email,
    "idn-email": _email,
    "hostname": lambda dice: f"{dice.one_of(_NOUNS)}.example.com",
    "idn-hostname": lambda dice: f"{dice.one_of(_NOUNS)}.example.com",
    "ipv4": lambda dice: f"192.0.2.{dice.between(1, 254)}",
    "ipv6": lambda dice: f"2001:db8::{dice.between(1, 9999)}",
    "uri": _url,
    "uri-reference": _url,
    "iri": _url,
    "iri-reference": _url,
    "uuid": _uuid,
    "uri-template": lambda dice: f"https://example.com/{dice.one_of(_NOUNS)}/{{id}}",
    "json-pointer": lambda dice: f"/{dice.one_of(_NOUNS)}/0",
    "relative-json-pointer": lambda dice: f"1/{dice.one_of(_NOUNS)}",
    "regex": lambda dice: dice.one_of(("^[a-z]+$", "^[0-9]{3}$")),
}


def _fixed(*texts: str) -> Callable[[Dice], Sequence[str]]:
    return lambda _: texts


def _made(make: Callable[[Dice], str]) -> Callable[[Dice], Sequence[str]]:
    return lambda dice: (make(dice), make(dice))


def _table(rows: Mapping[str, Callable[[Dice], Sequence[str]]]) -> dict[str, Callable[[Dice], Sequence[str]]]:
    return {key: row for keys, row in rows.items() for key in keys.split()}


_BY_NAME: Final = _table(
    {
        "email mail recipient sender cc bcc": _made(_email),
        "url uri link href website homepage webhook endpoint image avatar photo": _made(_url),
        "id identifier key number no ref reference sku serial": lambda dice: (
            f"{dice.one_of(('ord', 'itm', 'usr', 'ref'))}_{_digits(dice, 6)}",
            _number_text(dice),
        ),
        "uuid guid": _made(_uuid),
        "token cursor nonce secret": lambda dice: (_digits(dice, 24, "0123456789abcdef"),),
        "sha hash commit digest checksum": lambda dice: (_digits(dice, 40, "0123456789abcdef"),),
        "name": lambda dice: (f"{dice.one_of(_FIRST)} {dice.one_of(_LAST)}", dice.one_of(_FIRST)),
        "firstname first": lambda dice: (dice.one_of(_FIRST),),
        "lastname last surname": lambda dice: (dice.one_of(_LAST),),
        "username user login author owner assignee account handle": lambda dice: (
            dice.one_of(_FIRST).lower(),
            f"{dice.one_of(_FIRST).lower()}{dice.between(1, 99)}",
        ),
        "company organization organisation org supplier vendor customer client employer brand": _fixed(
            "Nordic Parts", "Acme Corporation", "Globex", "Initech"
        ),
        "phone mobile fax tel telephone": lambda dice: (f"+1 202 555 01{_digits(dice, 2)}",),
        "city town destination origin location place": _fixed("Oslo", "Berlin", "San Francisco", "Kyoto"),
        "country nation": _fixed("Norway", "Germany", "US", "Japan"),
        "state province region": _fixed("California", "CA", "Bavaria", "eu-west-1"),
        "address street": lambda dice: (f"{dice.between(1, 99)} Market Street", "12 Harbour Road"),
        "zip zipcode postal postcode": lambda dice: (_digits(dice, 5, "123456789"),),
        "currency": _fixed("EUR", "USD", "JPY"),
        "language lang locale": _fixed("en", "en-US", "de", "ja"),
        "timezone tz zone": _fixed("Europe/Oslo", "UTC", "America/New_York"),
        "date day birthday since until deadline due": _made(_date),
        "time hour": lambda dice: (_time(dice)[:5], _time(dice)),
        "at timestamp datetime created updated modified expires expiry start end": _made(_date_time),
        "color colour": _fixed("#1f77b4", "blue", "teal"),
        "path file filename filepath document source target": _fixed(
            "docs/report.pdf", "src/main.py", "data.csv"
        ),
        "directory folder dir root cwd": _fixed("/home/ada/project", "docs"),
        "extension mime mimetype": _fixed("application/json", "text/plain"),
        "query search q keyword term filter": _fixed("brake pads", "annual report", "status:open"),
        "sql": _fixed("SELECT id, name FROM orders"),
        "title subject headline heading": _fixed("Weekly report", "Spring order", "Meeting on Monday"),
        "description summary note comment message text body content reason detail prompt question answer "
        "instruction feedback bio abstract warning error hint": lambda _: _SENTENCES,
        "status phase": _fixed("active", "pending", "completed"),
        "category type kind group topic genre class": _fixed("standard", "parts", "office"),
        "tag label": _fixed("urgent", "new", "review"),
        "unit": _fixed("kg", "cm", "pieces"),
        "version": lambda dice: (f"{dice.between(0, 4)}.{dice.between(0, 20)}.{dice.between(0, 9)}",),
        "repo repository project package library module": _fixed("octo/widgets", "widgets", "toolkit"),
        "branch": _fixed("main", "feature/search"),
        "ip": _made(_BY_FORMAT["ipv4"]),
        "host hostname domain server": _made(_BY_FORMAT["hostname"]),
        "code": lambda dice: (f"A{_digits(dice, 3)}", _digits(dice, 3)),
        "symbol ticker stock": _fixed("NVDA", "EQNR", "SAP"),
        "product item": _fixed("Brake pad", "Desk lamp", "USB cable"),
        "model": _fixed("standard-2", "X200"),
        "command": _fixed("ls -la", "make test"),
        "selector": _fixed("#submit", ".price"),
    }
)


# Numbers


def _numbers(facts: NumberFacts, words: list[str], dice: Dice, *, whole: bool) -> Iterator[int | float]:
    named = next((found for key in reversed(words) if (found := _RANGES.get(_singular(key)))), None)
    low, high, digits = named or ((1, 100, 0) if whole else (1, 100, 2))
    if named is None and (facts.low is not None or facts.high is not None or facts.step is not None):
        yield from (facts.random(dice, whole) for _ in range(_TRIES))
    for _ in range(_TRIES):
        if whole or not digits:
            yield dice.between(low, high)
        else:
            yield round(low + (high - low) * dice.fraction(), digits)
    yield from (facts.random(dice, whole) for _ in range(_TRIES))


def _ranges(rows: Mapping[str, tuple[int, int, int]]) -> dict[str, tuple[int, int, int]]:
    return {key: row for keys, row in rows.items() for key in keys.split()}


_RANGES: Final = _ranges(  # lowest, highest, decimals
    {
        "price cost amount total subtotal fee tax budget salary revenue balance payment income": (5, 500, 2),
        "quantity qty count num number copy guest passenger ticket people": (1, 12, 0),
        "id": (1000, 9999, 0),
        "age": (18, 80, 0),
        "year": (2020, 2026, 0),
        "month": (1, 12, 0),
        "day": (1, 28, 0),
        "hour": (8, 18, 0),
        "minute second duration timeout": (5, 55, 0),
        "timestamp epoch": (1_767_225_600, 1_798_000_000, 0),
        "latitude lat": (-60, 60, 4),
        "longitude lng lon long": (-170, 170, 4),
        "percent percentage": (1, 99, 1),
        "rate ratio probability confidence score similarity": (0, 1, 3),
        "temperature temp": (5, 30, 1),
        "port": (8000, 8999, 0),
        "page index line": (1, 9, 0),
        "limit size max": (10, 50, 0),
        "offset skip min": (0, 20, 0),
        "width height length": (100, 1200, 0),
        "weight distance": (1, 90, 1),
        "rating star": (1, 5, 1),
    }
)
