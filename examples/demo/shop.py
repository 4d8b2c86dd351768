"""The bicycle shop of the gallery: served over MCP, and as a toolkit in this process, on the same data."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult, ElicitResult, TextContent
from toolgen.runtime import ToolConfig, Toolkit

from examples.store.database import DATA_VARIABLE
from examples.tools import context
from generated import catalog

from .narration import ROOT, must, tell

SCOPES = frozenset(
    scope for tool in catalog.TOOLS.values() for scope in tool.get("auth", {}).get("scopes", ())
)
"""The scopes that the user of the demo grants: all."""


class User:
    """The user of the MCP client, who is asked before a tool changes anything."""

    def __init__(self) -> None:
        self.agrees = True
        self.asked = 0

    async def answer(self, context: Any, params: Any) -> ElicitResult:
        """Answer an elicitation."""
        self.asked += 1
        tell("asked", params.message)
        tell("the user", "agrees" if self.agrees else "declines")
        if not self.agrees:
            return ElicitResult(action="decline")
        return ElicitResult(
            action="accept", content=dict.fromkeys(params.requested_schema["properties"], True)
        )


@dataclass(frozen=True, slots=True)
class Shop:
    """The MCP server of the shop, its client and its user."""

    client: Client
    user: User
    folder: Path  # its data

    def toolkit(self, config: ToolConfig | None = None) -> Toolkit:
        """Return the same tools as a toolkit in this process."""
        return catalog.toolkit(context=context(self.folder), config=config)

    async def call(self, name: str, arguments: Mapping[str, Any], shown: str = "") -> CallToolResult:
        """Call a tool through MCP; show the call, or `shown` instead."""
        tell("call", shown or f"{name} {as_json(arguments)}")
        return await self.client.call_tool(name, dict(arguments))


class Log(logging.Handler):
    """The log of a toolkit: its `logger` writes nowhere, `tell` shows the records."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []
        self.logger = logging.getLogger(name)
        self.logger.setLevel(logging.INFO)
        self.logger.propagate = False
        self.logger.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        self.records.append(record)

    def tell(self, level: int = logging.INFO) -> None:
        """Show the records of a level and above: message and, if there is one, the type of the exception."""
        for record in self.records:
            if record.levelno >= level:
                error = record.exc_info[0] if record.exc_info else None
                raised = f", with the traceback of {error.__name__}" if error else ""
                tell("the log", f"{record.levelname} {record.getMessage()}{raised}")


_SERVER = (
    "import logging, sys; from generated.mcp_server import build_server; "
    "from toolgen import serving; "
    "logging.getLogger('toolgen.audit').setLevel('ERROR'); sys.exit(serving.main(build_server))"
)
"""`python -m generated.mcp_server` without its audit log: the demo shows the questions."""


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Shop]:
    """Start the generated server, with data in `folder`, and connect to it."""
    user = User()
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", _SERVER, "--scopes", ",".join(sorted(SCOPES))],
        cwd=ROOT,
        env={
            **os.environ,
            DATA_VARIABLE: str(folder),
            "TOOLGEN_LOG_LEVEL": "error",
        },  # the demo shows the calls, none of which people approve
    )
    async with Client(server, elicitation_callback=user.answer) as client:
        yield Shop(client, user, folder)


def as_json(data: object) -> str:
    """Return a value as JSON."""
    return json.dumps(data, ensure_ascii=False)


def text_of(result: CallToolResult) -> str:
    """Return the text of a result, which a model would read."""
    return "".join(block.text for block in result.content if isinstance(block, TextContent))


def data_of(result: CallToolResult) -> dict[str, Any]:
    """Return the data of a result, which must be a success."""
    must(not result.is_error, f"the call succeeds, but it says: {text_of(result)}")
    data = result.structured_content
    must(isinstance(data, dict), "the result is a JSON object")
    return dict(data or {})


def refusal_of(result: CallToolResult, says: str) -> str:
    """Return the text of a refused call, which must contain `says`."""
    must(result.is_error is True and says in text_of(result), f"the call is refused with {says!r}")
    return text_of(result)
