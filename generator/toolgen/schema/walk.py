"""Walk a JSON Schema knowing which keywords hold schemas: a property that is named `$ref` is no reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen.schema.keywords import (
    EITHER,
    IN_PLACE,
    IN_PLACE_LISTS,
    IN_PLACE_MAPS,
    IN_PLACE_ONE,
    LISTS,
    MAPS,
    NESTING,
    ONE,
)

Path = tuple[str | int, ...]


def subschemas(schema: Any, path: Path = ()) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Every schema object in `schema`, itself first, with its path; what is no schema is passed over."""
    stack: list[tuple[Path, Any]] = [(path, schema)]
    while stack:
        here, node = stack.pop()
        if not isinstance(node, dict):
            continue
        yield here, node
        if not NESTING.isdisjoint(node):
            stack.extend(reversed(list(_children(node, here))))


def _children(node: Mapping[str, Any], here: Path) -> Iterator[tuple[Path, Any]]:
    for keyword, value in node.items():
        if keyword in ONE:
            yield (*here, keyword), value
        elif keyword in MAPS or (keyword in EITHER and keyword != "items"):
            if isinstance(value, dict):
                for name, inner in value.items():
                    yield (*here, keyword, name), inner
        elif keyword in LISTS or (keyword == "items" and isinstance(value, list)):
            if isinstance(value, list):
                for index, inner in enumerate(value):
                    yield (*here, keyword, index), inner
        elif keyword == "items":
            yield (*here, keyword), value


def rewritten(schema: Any, refs: Mapping[Path, str], path: Path = ()) -> Any:
    """A copy of `schema` in which the `$ref` at each path of `refs` reads anew; key order is kept."""
    if isinstance(schema, dict):
        copy = {key: rewritten(value, refs, (*path, key)) for key, value in schema.items()}
        if path in refs:
            copy["$ref"] = refs[path]
        return copy
    if isinstance(schema, list):
        return [rewritten(value, refs, (*path, index)) for index, value in enumerate(schema)]
    return schema


def in_place(schema: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, Any]]:
    """The schemas that judge the same value as `schema` does, apart from those behind a `$ref`."""
    if IN_PLACE.isdisjoint(schema):
        return
    for keyword, value in schema.items():
        if keyword in IN_PLACE_ONE:
            yield (*path, keyword), value
        elif keyword in IN_PLACE_LISTS and isinstance(value, list):
            for index, inner in enumerate(value):
                yield (*path, keyword, index), inner
        elif keyword in IN_PLACE_MAPS and isinstance(value, dict):
            for name, inner in value.items():
                yield (*path, keyword, name), inner


def pointer(path: Path) -> str:
    """`path` as a JSON Pointer in a URI fragment, without the `#`."""
    return "".join("/" + _escaped(str(part)) for part in path)


def _escaped(part: str) -> str:
    text = part.replace("~", "~0").replace("/", "~1")
    kept = "!$&'()*+,;=:@-._~"
    return "".join(
        char if (char.isascii() and char.isalnum()) or char in kept else _percent(char) for char in text
    )


def _percent(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8"))


def follow(data: Any, path: Path) -> Any:
    """The value at `path`. Raises `LookupError` where nothing was written there."""
    for part in path:
        if isinstance(data, dict):
            data = data[str(part)]
        elif isinstance(data, list):
            data = data[part if isinstance(part, int) else _index(part)]
        else:
            raise LookupError(part)
    return data


def _index(part: str) -> int:
    if not part.isascii() or not part.isdigit():
        raise LookupError(part)
    return int(part)
