"""How calls of a test may do harm. A tool that may is called only with `--all-calls`.

By its contract, a tool is harmless if it only reads, or is idempotent and not destructive; missing hints are
what MCP says of them (`ToolUnderTest.is_harmless`). Each function returns the harm in words for the report,
empty if there is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from toolgen.runtime.errors import ToolError
from toolgen.runtime.http.request import base_url
from toolgen.serving.auth.addresses import is_loopback
from toolgen.testing.tool_under_test import ToolUnderTest, hints_of


def harm_to_own_data(tool: ToolUnderTest) -> str:
    """Return how calls of the default toolkit of a project may do harm."""
    if tool.is_harmless:
        return ""
    return "it may change or destroy something, and there is no fixture toolgen_toolkit with data for tests"


def harm_to_server(tool: ToolUnderTest, listed_annotations: Mapping[str, Any] | None) -> str:
    """Return how calls of a running server may do harm, by the spec or by what the server lists."""
    if not tool.is_harmless:
        return "it may change or destroy data of the server"
    if not replace(tool, **hints_of(listed_annotations)).is_harmless:
        return "by the server's own annotations, it may change or destroy data"
    return ""


def harm_to_api(operation: Mapping[str, Any]) -> str:
    """Return how calls of an HttpTool may do harm: an API on another machine has no data for tests."""
    try:
        host = urlsplit(base_url(operation)).hostname or ""
    except (ToolError, KeyError):
        return ""  # it calls nothing
    if is_loopback(host):
        return ""
    cure = f"let toolgen_toolkit set {operation['base_url']} to a local API"
    return f"it may change or destroy something at {host}; {cure}"
