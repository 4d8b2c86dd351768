"""A spec that has every field, and the places in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toolgen.language.reading.read import read

FULL: Any = read({"full_spec.yaml": Path(__file__).with_name("full_spec.yaml").read_bytes()})[0].data
UNTYPED = ("input_schema", "output_schema", "chunk_schema", "meta", "input", "output", "x-mine")


def paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of a value and of each value in it, but for values of an author's own shape."""
    yield path
    if not path or path[-1] not in UNTYPED:
        inner = (
            value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        )
        for key, item in inner:
            yield from paths(item, (*path, key))
