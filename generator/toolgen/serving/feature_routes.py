"""Which of several feature sources has a resource, a template or a prompt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.text import quote

from .linked_blocks import LINK_SCHEME

NAMES: Final = {
    "resources/list": ("resources", "uri"),
    "resources/templates/list": ("resourceTemplates", "uriTemplate"),
    "prompts/list": ("prompts", "name"),
}
"""Method that lists → the list in its result, and the key that names an entry, as on the wire."""
MAX_NAMES: Final = 100_000  # of one list of one source; a source that lists more is read again
_EXPRESSION: Final = re.compile(r"\{[^{}]*\}")  # of a URI template: RFC 6570, section 2.2


class FeatureRoutes:
    """What each source has listed. If two list one name, the first of them has it, and a record says so.

    Args:
        sources: the names of the sources, in order, for log records.
    """

    def __init__(self, sources: Sequence[str]) -> None:
        self._sources = sources
        self._owners: dict[str, dict[str, int]] = {
            method: {} for method in NAMES
        }  # name → index of the source
        self._clashes: set[tuple[str, str, int]] = set()  # that have been logged

    def claimed(self, method: str, source: int, listed: Iterable[Any]) -> list[Any]:
        """Return the entries of a list that belong to the source at this index, and note them."""
        key = NAMES[method][1]
        return [each for each in listed if self._claim(method, source, str(each.get(key, "")))]

    def _claim(self, method: str, source: int, name: str) -> bool:
        if name.startswith(LINK_SCHEME):
            self._log_clash(name, source, "the links to results of this server")
            return False
        owners = self._owners[method]
        owner = owners.get(name)
        if owner is None and len(owners) >= MAX_NAMES * len(self._sources):
            owners.clear()
        owners[name] = source if owner is None else min(owner, source)
        if owner is None or owner == source:
            return True
        first, second = sorted((owner, source))
        self._log_clash(name, second, self._sources[first])
        return source == first

    def _log_clash(self, name: str, source: int, owner: str) -> None:
        clash = (name, owner, source)
        if clash not in self._clashes and len(self._clashes) < MAX_NAMES:
            self._clashes.add(clash)
            message = "%s lists %s, which belongs to %s: it is not served"
            LOGGER.error(message, self._sources[source], quote(name), owner)

    def of_uri(self, uri: str) -> int | None:
        """Return the source that lists a resource, or else the most specific template that may have it."""
        owner = self._owners["resources/list"].get(uri)
        if owner is not None:
            return owner
        templates = self._owners["resources/templates/list"]
        matching = [(literal_size(each), -source) for each, source in templates.items() if matches(each, uri)]
        return -max(matching)[1] if matching else None

    def of_name(self, method: str, name: str) -> int | None:
        """Return the source that lists a name by this method."""
        return self._owners[method].get(name)


def matches(template: str, uri: str) -> bool:
    """True if a URI may be of a URI template, whose expressions stand for any text here.

    Takes time in proportion to the text: templates and URIs are those of strangers.
    """
    first, *others = _EXPRESSION.split(template)
    if not others:
        return uri == template
    last = others.pop()
    if not uri.startswith(first) or len(uri) < len(first) + len(last) or not uri.endswith(last):
        return False
    start, end = len(first), len(uri) - len(last)
    for literal in others:
        found = uri.find(literal, start, end)
        if found < 0:
            return False
        start = found + len(literal)
    return True


def literal_size(template: str) -> int:
    """Return the number of characters outside of expressions: more of them are more specific."""
    return sum(map(len, _EXPRESSION.split(template)))
