"""Import, generate and load the operations of an OpenAPI document."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tools.corpus.project import FailedError, Project, project

METHODS = frozenset(["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"])


@dataclass(slots=True)
class Row:
    """One document."""

    document: str
    operations: int
    imported: int = 0
    generated: int = 0
    refused: str = ""  # the reason, if the refusal is right
    misses: list[str] = field(default_factory=list)


def measure_openapi(path: Path, package: str) -> Row:
    """Import and generate the document in `path`, and load every tool of it."""
    document = _read(path)
    row = Row(path.name, len(_operations(document)))
    with project(package) as made:
        try:
            made.run("import", "openapi", str(path.resolve()), "--into", "specs")
            row.imported = len(list((made.root / "specs").glob("*.yaml")))
            if row.imported:
                made.run("generate")
                _load(row, made, document)
        except FailedError as error:
            if "swagger" in document and "Swagger 2.0" in str(error):
                row.refused = "Swagger 2.0"
                return row
            if not row.operations and "no operations to import" in str(error):
                row.refused = "no operations"
                return row
            row.misses.append(str(error))
    if row.imported != row.operations:
        row.misses.append(f"{row.operations} operations, {row.imported} specs")
    return row


def _load(row: Row, made: Project, document: Any) -> None:
    catalog = made.module("catalog")
    left = _operations(document)
    for name, definition in catalog.TOOLS.items():
        how = definition["x-openapi"]
        left.discard((how["method"].lower(), how["path"]))
        try:
            catalog.tool_class(name).check_inputs({})
        except ValueError as error:
            row.misses.append(f"{name}: {error}")
            continue
        except Exception as error:
            if type(error).__name__ != "InvalidRequestError":
                row.misses.append(f"{name}: {type(error).__name__}: {error}")
                continue
        row.generated += 1
    row.misses += [f"no tool for {method.upper()} {path}" for method, path in sorted(left)]


def _read(path: Path) -> Any:
    """Read the document without toolgen's code."""
    data = path.read_bytes()
    data = gzip.decompress(data) if path.suffix == ".gz" else data
    return json.loads(data) if data.lstrip()[:1] == b"{" else yaml.load(data, yaml.CSafeLoader)


def _operations(document: Any) -> set[tuple[str, str]]:
    paths = document.get("paths") or {}
    return {(method, path) for path, item in paths.items() for method in METHODS & item.keys()}


def openapi_table(rows: Iterable[Row]) -> str:
    """Return a table with one line per document."""
    head = ("document", "operations", "imported", "generated")
    lines: list[Sequence[str]] = [head, ("---",) * len(head)]
    for row in rows:
        made = (
            [f"refused: {row.refused}", "-"] if row.refused else [f"{row.imported:,}", f"{row.generated:,}"]
        )
        lines.append((row.document, f"{row.operations:,}", *made))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
