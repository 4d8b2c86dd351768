"""Test a server by its lock: calls of the tools that only read, judged by the schemas in the lock."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

from toolgen.building.project_build import read_inputs
from toolgen.files import write_named
from toolgen.importers.json_source import JsonDocument
from toolgen.importers.mcp import import_mcp
from toolgen.importing.imported_specs import ImportRequest, import_tools
from toolgen.mcp_client.client import ServerAddress
from toolgen.mcp_client.listing import Listing
from toolgen.project.inputs.configuration import FILE
from toolgen.schema.document import JsonObject
from toolgen.testing.project_tests import run_project_tests
from toolgen.testing.results import ProjectReport
from toolgen.testing.running.tool_run import RunOptions
from toolgen.testing.server.run import ServerOptions


def test_locked_server(
    lock: Listing, listing: Listing, server: ServerAddress, *, today: date
) -> ProjectReport | None:
    """Return the report of the tools that lock and server both call read-only; None if there are none."""
    read_only = _read_only(lock.tools) & _read_only(listing.tools)
    tools = [each for each in lock.tools if each["name"] in read_only]
    if not tools:
        return None
    with TemporaryDirectory(prefix="toolgen-guard-") as folder:
        write_named(Path(folder, FILE), b"")
        documents = [JsonDocument(json.loads(json.dumps({"tools": tools})), 0)]
        request = ImportRequest("mcp", folder)
        import_tools(request, lambda context: import_mcp(documents, "the lock", context.names), ())
        options = ServerOptions(server, today)
        report = run_project_tests(read_inputs(folder), RunOptions(), server=options)
        return replace(report, server=None)  # whose other tools are not in the specs, on purpose


def _read_only(tools: Iterable[JsonObject]) -> set[str]:
    hints = {each["name"]: each.get("annotations") for each in tools}
    return {
        name for name, hint in hints.items() if isinstance(hint, dict) and hint.get("readOnlyHint") is True
    }
