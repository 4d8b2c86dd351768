"""Texts in what a server lists: new ones, those with invisible characters, those that only wrap elsewhere."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any, Final

from toolgen.base.escaping.characters import printable

READ_BY_MODELS: Final = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
"""Keys of a tool's definition that clients send to models, or show to the user who approves a call."""
_TEXTS: Final = ("description", "title", "$comment")
_VALUES: Final = frozenset(("enum", "const", "default", "examples"))
_MAX_IDENTIFIER: Final = 64  # characters; a longer name or value may be a sentence without blanks


def words(text: str) -> str:
    """Return a text without the layout of its lines."""
    return " ".join(text.split())


def with_old_layout(new: Any, old: Any, key: str = "") -> Any:
    """Return `new` with the descriptions of `old` at the same places, where they have the same words.

    Versions of Python and of servers lay docstrings out differently, which changes nothing for models.
    Values (`enum`, `default`) are left as they are: blanks count in them.
    """
    if isinstance(new, str) and isinstance(old, str) and key in _TEXTS:
        return old if words(new) == words(old) else new
    if isinstance(new, dict) and isinstance(old, dict):
        return {
            each: value
            if each in _VALUES and key != "properties"
            else with_old_layout(value, old.get(each), each)
            for each, value in new.items()
        }
    if isinstance(new, list) and isinstance(old, list) and len(new) == len(old):
        return [with_old_layout(*pair) for pair in zip(new, old, strict=True)]
    return new


def new_texts(new: Any, old: Any) -> list[str]:
    """Return the texts for models in a definition that the old one has nowhere.

    Texts are descriptions, comments, and any other string or name with a blank or of more than 64 characters:
    a value of an `enum` can hold an instruction, too. Titles that only repeat a property's name are none.
    """
    known = {words(each) for each in _texts(old)}
    return [each for each in dict.fromkeys(_texts(new)) if words(each) not in known]


def hidden_texts(value: Any, known: Container[str]) -> list[str]:
    """Return the strings in `value` with invisible or reordering characters that are not `known`."""
    return [each for each in dict.fromkeys(strings(value)) if each not in known and _hides(each)]


def _hides(text: str) -> bool:
    # Every kind of blank has become a space: a non-breaking one hides nothing.
    text = words(text)
    return printable(text) != text


def _texts(value: Any, key: str = "", name: str = "") -> Iterator[str]:
    """Yield texts; `key` is that of the value, `name` that of the property whose schema holds it."""
    if isinstance(value, str):
        repeats = key == "title" and words(value).replace(" ", "_").lower() == name.lower()
        if not repeats and (key in ("description", "$comment") or _may_be_sentence(value)):
            yield value
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each, key)
    elif isinstance(value, dict):
        for each, part in value.items():
            if _may_be_sentence(each):
                yield each
            yield from _texts(part, each, key if isinstance(part, str) else "")


def _may_be_sentence(text: str) -> bool:
    return len(text) > _MAX_IDENTIFIER or len(text.split()) > 1


def strings(value: Any) -> Iterator[str]:
    """Yield every string in a JSON value, names included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield key
            yield from strings(part)
