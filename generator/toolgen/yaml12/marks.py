"""The place of every key and value of a text that has been read before."""

from __future__ import annotations

from yaml import YAMLError
from yaml.cyaml import CParser  # type: ignore[attr-defined]
from yaml.events import (
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    StreamStartEvent,
)

from toolgen.data.source import Marks, Path, Span
from toolgen.yaml12.document import span_of


def locate(file: str, text: str) -> Marks:
    """Walk the events once more, this time for their places.

    What an alias stands for has no place of its own: `Source.value` falls back to the alias.
    """
    keys: dict[Path, Span] = {}
    values: dict[Path, Span] = {}
    stack: list[tuple[Path, bool, int]] = []  # path, is it a mapping, how many children so far
    pending: Path | None = None  # the path of the value whose key was just read
    parser = CParser(text)
    try:
        while not isinstance(event := parser.get_event(), StreamEndEvent):
            if isinstance(event, StreamStartEvent | DocumentStartEvent):
                continue
            if isinstance(event, MappingEndEvent | SequenceEndEvent):
                stack.pop()
                continue
            if not stack:
                if values:
                    break  # the document has ended
                path: Path = ()
            elif stack[-1][1]:
                parent = stack[-1][0]
                if pending is None:
                    pending = (*parent, event.value if isinstance(event, ScalarEvent) else "")
                    keys.setdefault(pending, span_of(file, event))
                    continue
                path, pending = pending, None
            else:
                parent, _, count = stack[-1]
                stack[-1] = (parent, False, count + 1)
                path = (*parent, count)
            values[path] = span_of(file, event)
            if isinstance(event, MappingStartEvent | SequenceStartEvent):
                stack.append((path, isinstance(event, MappingStartEvent), 0))
    except YAMLError:
        pass  # JSON that libyaml does not take: what was found so far still points near
    return Marks(keys, values)
