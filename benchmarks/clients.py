"""Calls of a typed client compared with raw ones, and the import of a client of many tools."""

from __future__ import annotations

import json

from .groups import IN_PROCESS, Bench
from .measure import Case, Samples
from .process import run
from .project import PYTHON, Project


def client(bench: Bench, size: int) -> Samples:
    """Measure seconds per call in one process."""
    project = _with_client(bench.fresh(size))
    command = [PYTHON, str(IN_PROCESS / "client.py"), str(bench.rounds or 21), "50", bench.clock]
    found: dict[str, list[float]] = json.loads(
        run(command, project.folder, project.env).text.splitlines()[-1]
    )
    return found


def client_import(bench: Bench, size: int) -> Samples:
    """Measure a process that imports the client of `size` tools, and one that imports that of one tool."""
    many, one = (_with_client(bench.bare(count)) for count in (size, 1))
    command = [PYTHON, "-c", "from shop import ShopClient"]

    cases = [
        Case("import of a client", lambda: run(command, many.folder, many.env).seconds),
        Case("client of one tool", lambda: run(command, one.folder, one.env).seconds),
    ]
    return bench.run(cases, 15, f"import of a client, {size} tools")


def _with_client(project: Project) -> Project:
    project.toolgen("client", ".", "--package", "shop", says="in shop")
    run([PYTHON, "-m", "compileall", "-q", "shop"], project.folder, project.env)
    return project
