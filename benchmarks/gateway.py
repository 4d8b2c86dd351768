"""Calls of a foreign server's tools through a gateway, and through a bare proxy written with the MCP SDK."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from .groups import IN_PROCESS, Bench
from .http import processor_time
from .measure import Case, Samples
from .process import Wrong, run
from .project import PYTHON, Project
from .stdio import Conversation

SERVERS, PROXY = (str(IN_PROCESS / name) for name in ("servers.py", "proxy.py"))
CALLS = 200  # in one round of one case
_SETTINGS = 'specs = "specs"\noutput = "forwarded"\nimplementations = "forwarding"\ntargets = ["mcp"]\n'


def gateway(bench: Bench, size: int) -> Samples:
    """Measure seconds per call over stdio; with the clock `cpu`, processor time of what is in between."""
    project = bench.fresh(size)
    request = json.loads(run([PYTHON, SERVERS, "request"], project.folder, project.env).text.splitlines()[-1])
    # the upstream gets PATH and the like alone from the gateway, and the same from the proxy
    upstream = ["env", f"PYTHONPATH={project.env['PYTHONPATH']}", PYTHON, SERVERS]
    commands = {
        "gateway": [PYTHON, "-m", "forwarded.mcp_server"],
        "bare SDK proxy": [PYTHON, PROXY, *upstream],
        "without anything between": upstream,
    }
    folder = _forwarding(project, upstream)
    with ExitStack() as stack:
        cases: list[Case] = []
        for name, command in commands.items():
            server = stack.enter_context(Conversation(command, Project(folder, size, bench.code)))
            _check(name, server, request)
            clock = processor_time(server.pid) if bench.clock == "cpu" else time.perf_counter
            cases.append(Case(name, _round(server, request, clock)))
        return bench.run(cases, 21, f"gateway, {size} tools")


def _forwarding(project: Project, upstream: list[str]) -> Path:
    """Return the folder of a project that forwards to the upstream."""
    folder = project.folder / ".gateway"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "toolgen.toml").write_text(_SETTINGS, "utf-8")
    made = Project(folder, project.size, project.code)
    made.toolgen("import", "mcp", "--implement", "--", *upstream, says="")
    made.toolgen("generate", says=f"{project.size} tool")
    return folder


def _check(name: str, server: Conversation, request: dict[str, Any]) -> None:
    """Raise `Wrong` unless the server gives the answer of the implementation."""
    result = json.loads(_call(server, request))["result"]
    if result.get("structuredContent") != request["answer"]:
        raise Wrong(f"{name} answered {str(result)[:2000]}, not {request['answer']!r}")


def _round(server: Conversation, request: dict[str, Any], clock: Callable[[], float]) -> Callable[[], float]:
    def once() -> float:
        began = clock()
        for _ in range(CALLS):
            _call(server, request)
        return (clock() - began) / CALLS

    return once


def _call(server: Conversation, request: dict[str, Any]) -> bytes:
    return server.ask("tools/call", {"name": request["name"], "arguments": request["arguments"]})
