"""Import, generate and load the operations of an OpenAPI document; measure seconds and memory."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tools.corpus.project import Project, project

METHODS = frozenset(["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"])


@dataclass(frozen=True, slots=True)
class Ran:
    """One process of toolgen."""

    code: int
    seconds: float
    megabytes: int  # peak of the process and of each worker
    err: str


@dataclass(slots=True)
class Row:
    """One document."""

    document: str
    operations: int
    imported: int = 0
    generated: int = 0
    runs: dict[str, Ran] = field(default_factory=dict)  # command → its measurement
    refused: str = ""  # the reason, if the refusal is right
    misses: list[str] = field(default_factory=list)


def measure_openapi(path: Path, package: str) -> Row:
    """Import and generate the document in `path`, and load every tool of it."""
    document = _read(path)
    row = Row(path.name, len(_operations(document)))
    with project(package) as made:
        row.runs["import"] = _run(made, "import", "openapi", str(path.resolve()), "--into", "specs")
        if "swagger" in document:
            row.refused = "Swagger 2.0"
            if row.runs["import"].code != 2 or "Swagger 2.0" not in row.runs["import"].err:
                row.misses.append("Swagger 2.0 is not refused")
            return row
        specs = sorted((made.root / "specs").glob("*.yaml"))
        row.imported = len(specs)
        if row.runs["import"].code:
            row.misses.append(f"import: {row.runs['import'].err[-500:]}")
        elif specs:
            row.runs["generate"] = _run(made, "generate")
            _load(row, made, document)
        if row.imported != row.operations:
            row.misses.append(f"{row.operations} operations, {row.imported} specs")
    return row


def _load(row: Row, made: Project, document: Any) -> None:
    if row.runs["generate"].code:
        row.misses.append(f"generate: {row.runs['generate'].err[-500:]}")
        return
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


def _run(made: Project, *words: str) -> Ran:
    began = time.monotonic()
    with (made.root / "err.txt").open("w+") as err:
        process = subprocess.Popen(
            [sys.executable, "-m", "toolgen", *words], cwd=made.root, stdout=subprocess.DEVNULL, stderr=err
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        return Ran(process.returncode, time.monotonic() - began, usage.ru_maxrss // 1024, err.read())


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
    head = ("document", "operations", "imported", "generated", "import", "generate")
    lines: list[Sequence[str]] = [head, ("---",) * len(head)]
    for row in rows:
        cost = [
            f"{row.runs[verb].seconds:.1f} s, {row.runs[verb].megabytes} MB" if verb in row.runs else "-"
            for verb in ("import", "generate")
        ]
        made = (
            [f"refused: {row.refused}", "-"] if row.refused else [f"{row.imported:,}", f"{row.generated:,}"]
        )
        lines.append((row.document, f"{row.operations:,}", *made, *cost))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
