"""Read YAML 1.2 as JSON data, and locate every key and value.

By hand, on the events of libyaml: PyYAML's loaders read YAML 1.1 (`no` is false, `12:30` is 750) and drop
duplicate keys silently; ruamel.yaml reads YAML 1.2 and is 15 to 20 times slower. Here scalars follow the core
schema of YAML 1.2, aliases are bounded, and what JSON cannot represent is a fault with its position.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

from yaml import YAMLError
from yaml.cyaml import CParser  # type: ignore[attr-defined]
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from toolgen.base.suggestions import quoted
from toolgen.language.diagnostic import Diagnostic, Note
from toolgen.language.source import Marks, Span
from toolgen.language.yaml12.scalars import (
    NUMERIC,
    PLAIN_WORDS,
    STRING,
    ScalarError,
    resolve_plain,
)
from toolgen.language.yaml12.syntax_errors import TOO_DEEP
from toolgen.schema.document import MAX_VALUE_DEPTH, JsonPath

MAX_ALIASED = 100_000  # values reached through aliases; text counts once more for every 64 characters

_CORE = "tag:yaml.org,2002:"


class DocumentError(Exception):
    """A fault after which a document cannot be read any further."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.message)


class YamlReader:
    """Reads one document. Collects `faults` after which reading can go on; others raise `DocumentError`."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.faults: list[Diagnostic] = []
        self._next: Callable[[], Any] = CParser(text).get_event
        self._anchors: dict[str, Any] = {}
        self._open: set[str] = set()  # anchors whose value is still being read
        self._aliased = 0
        self._depth = 0

    def read(self) -> Any:
        """Return the document's data. Raises `DocumentError`, or `yaml.YAMLError` for a syntax error."""
        self._next()  # StreamStartEvent
        start = self._next()
        if isinstance(start, StreamEndEvent):
            self._refuse(Span(self.file, 1, 1), "empty-file", "the file is empty", _EMPTY_HINT)
        self._version(start)
        event = self._next()
        if isinstance(event, ScalarEvent) and not event.value and event.implicit[0]:
            self._refuse(Span(self.file, 1, 1), "empty-file", "the file is empty", _EMPTY_HINT)
        data = self._value(event)
        self._next()  # DocumentEndEvent
        after = self._next()
        if not isinstance(after, StreamEndEvent):
            self._refuse(
                span_of(self.file, after, 3),
                "several-documents",
                "a second document begins here",
                "write one tool per file, without `---` between them",
            )
        return data

    def _version(self, event: DocumentStartEvent) -> None:
        if event.version not in (None, (1, 2)):
            written = ".".join(str(part) for part in event.version)
            self._refuse(
                span_of(self.file, event),
                "yaml-version",
                f"the file says it is YAML {written}, and specs are read as YAML 1.2",
                "remove the `%YAML` line",
            )

    def _value(self, event: Any) -> Any:
        kind = type(event)
        if kind is AliasEvent:
            return self._alias(event)
        if kind is not ScalarEvent:
            return self._collection(event)
        value = self._scalar(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = value
        return value

    def _collection(self, event: MappingStartEvent | SequenceStartEvent) -> Any:
        self._depth += 1
        if self._depth > MAX_VALUE_DEPTH:
            self._refuse(span_of(self.file, event), "too-deep", *TOO_DEEP)
        if event.tag not in (None, "!"):
            self._tag(event)
        anchor: str | None = event.anchor
        if anchor is not None:
            # An anchor may be used again, and then names the later value (YAML 1.2.2, section 3.2.2.2).
            self._anchors.pop(anchor, None)
            self._open.add(anchor)
        value = self._mapping() if type(event) is MappingStartEvent else self._sequence()
        if anchor is not None:
            self._open.discard(anchor)
            self._anchors[anchor] = value
        self._depth -= 1
        return value

    def _sequence(self) -> list[Any]:
        values: list[Any] = []
        while type(event := self._next()) is not SequenceEndEvent:
            values.append(self._value(event))
        return values

    def _mapping(self) -> dict[str, Any]:
        values: dict[str, Any] = {}
        spans: dict[str, Event] = {}
        while type(event := self._next()) is not MappingEndEvent:
            key = self._key(event)
            if key in values:
                self._fault(
                    span_of(self.file, event),
                    "duplicate-key",
                    f"{quoted(key)} is written twice in this mapping",
                    "remove one of the two",
                    (Note(span_of(self.file, spans[key]), "first written here"),),
                )
            spans[key] = event
            values[key] = self._value(self._next())
        return values

    def _key(self, event: Event) -> str:
        if type(event) is AliasEvent:
            key = self._alias(event)
        elif type(event) is ScalarEvent:
            if event.value == "<<" and event.implicit[0]:
                self._fault(span_of(self.file, event), "merge-key", _MERGE, _MERGE_HINT)
                return "<<"
            key = self._scalar(event)
        else:
            self._refuse(
                span_of(self.file, event),
                "key-not-text",
                "a list or a mapping cannot be a key",
                "use text as the key",
            )
        if isinstance(key, str):
            return key
        written = event.value if isinstance(event, ScalarEvent) else ""
        self._fault(
            span_of(self.file, event),
            "key-not-text",
            f"the key {written} is read as {_type_name(key)}, and keys are text"
            if written
            else "this key is empty",
            f'quote it: "{written}"' if written else "write a key before the colon",
        )
        return written

    def _scalar(self, event: ScalarEvent) -> Any:
        text: str = event.value
        tag = event.tag
        if tag is None:
            if not event.implicit[0]:
                return text
            if text in PLAIN_WORDS:
                return PLAIN_WORDS[text]
            if text[0] not in NUMERIC:
                return text
            try:
                return resolve_plain(text)
            except ScalarError as bad:
                self._fault(span_of(self.file, event), bad.code, bad.message, bad.hint)
        elif tag not in ("!", STRING):
            self._tag(event)
        return text

    def _alias(self, event: AliasEvent) -> Any:
        # Copied, not shared: what changes one of the values must not change the other.
        name = str(event.anchor)
        span = span_of(self.file, event)
        if name in self._open:
            self._refuse(
                span,
                "alias-cycle",
                f"*{name} is inside the value that it names",
                "use a `$ref` for recursion",
            )
        if name not in self._anchors:
            self._refuse(
                span,
                "unknown-alias",
                f"there is no anchor &{name} above",
                f"write &{name} before the value that is meant, or quote the text",
            )
        try:
            value, size = copy_bounded(
                self._anchors[name], MAX_ALIASED - self._aliased, MAX_VALUE_DEPTH - self._depth
            )
        except TooDeepError:
            self._refuse(span, "too-deep", *TOO_DEEP)
        except TooManyError:
            self._refuse(
                span,
                "alias-bomb",
                f"the aliases of this file expand to more than {MAX_ALIASED:,} values",
                "write the values out, or share them by `$ref`",
            )
        self._aliased += size
        return value

    def _tag(self, event: ScalarEvent | MappingStartEvent | SequenceStartEvent) -> None:
        tag = str(event.tag)
        shown = "!!" + tag.removeprefix(_CORE) if tag.startswith(_CORE) else tag
        if not shown.startswith("!"):
            shown = f"!<{shown}>"
        self._fault(
            span_of(self.file, event),
            "unknown-tag",
            f"the tag {shown} has no meaning in a spec",
            "remove the tag; text that is to stay text is quoted",
        )

    def _fault(self, span: Span, code: str, message: str, hint: str, notes: tuple[Note, ...] = ()) -> None:
        self.faults.append(Diagnostic(span, code, message, hint, notes))

    def _refuse(self, span: Span, code: str, message: str, hint: str) -> NoReturn:
        raise DocumentError(Diagnostic(span, code, message, hint))


_EMPTY_HINT = "write a tool or shared schemas (`$defs`), or remove the file; `toolgen new` writes a first one"
_MERGE = "YAML 1.2 has no merge key `<<`"
_MERGE_HINT = 'write the keys out, or share the schema by `$ref`; quote it ("<<") if it is a name'


def span_of(file: str, event: Any, length: int = 1) -> Span:
    """Return the position of an event: the text of a scalar on one line, else the first characters."""
    start, end = event.start_mark, event.end_mark
    if type(event) in (ScalarEvent, AliasEvent) and end.line == start.line:
        length = (end.column - start.column) or 1
    return Span(file, start.line + 1, start.column + 1, length)


def _type_name(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case _:
            return "a list or a mapping"


class TooManyError(Exception):
    """More values than are allowed."""


class TooDeepError(Exception):
    """Mappings and lists are nested too deep."""


def copy_bounded(value: Any, budget: int, room: int) -> tuple[Any, int]:
    """Return a copy of `value` and its size in values; text counts once more for every 64 characters.

    Raises `TooManyError` beyond `budget` values, `TooDeepError` beyond `room` levels.
    """
    size = 1 + len(value) // 64 if isinstance(value, str) else 1
    if size > budget:
        raise TooManyError
    if not isinstance(value, dict | list):
        return value, size
    if not room:
        raise TooDeepError
    copy: Any = {} if isinstance(value, dict) else [None] * len(value)
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        copy[key], more = copy_bounded(inner, budget - size, room - 1)
        size += more
    return copy, size


def locate_positions(file: str, text: str) -> Marks:
    """Return the position of every key and value of a text that was read before.

    Values reached through an alias have no position: `Source.value` falls back to that of the alias.
    """
    next_event = CParser(text).get_event
    places = _Places(file, next_event)
    with suppress(YAMLError):  # JSON that libyaml refuses: the positions found so far are still near
        next_event()  # StreamStartEvent
        next_event()  # DocumentStartEvent
        places.add((), next_event())
    return Marks(places.keys, places.values)


class _Places:
    """The positions of keys and values, filled from events."""

    def __init__(self, file: str, next_event: Callable[[], Any]) -> None:
        self.keys: dict[JsonPath, Span] = {}
        self.values: dict[JsonPath, Span] = {}
        self._file = file
        self._next = next_event

    def add(self, path: JsonPath, event: Any) -> None:
        """Add the value at `path`, which begins with `event`, and all in it."""
        self.values[path] = span_of(self._file, event)
        kind = type(event)
        if kind is MappingStartEvent:
            while type(key := self._next()) is not MappingEndEvent:
                inner = (*path, key.value if type(key) is ScalarEvent else "")
                self.keys.setdefault(inner, span_of(self._file, key))
                self.add(inner, self._next())
        elif kind is SequenceStartEvent:
            number = 0
            while type(item := self._next()) is not SequenceEndEvent:
                self.add((*path, number), item)
                number += 1
