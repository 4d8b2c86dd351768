"""Names of metrics, spans and attributes, as one table. docs/operations.md shows it.

Names that do not begin with `toolgen.` are those of OpenTelemetry's semantic conventions for MCP and GenAI,
schema 1.42.0-dev with the general conventions 1.44.0, status "development" in November 2026:
https://github.com/open-telemetry/semantic-conventions-genai (docs/gen-ai/mcp.md, model/gen-ai/metrics.yaml).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

SCHEMA_URL: Final = "https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev"
SCOPE: Final = "toolgen"

TOOL: Final = "gen_ai.tool.name"
OPERATION: Final = "gen_ai.operation.name"
ERROR_TYPE: Final = "error.type"
OUTCOME: Final = "toolgen.outcome"
EXECUTE_TOOL: Final = "execute_tool"
OTHER: Final = "_OTHER"
"""In place of a name that a caller has made up, of which there may be any number."""

MCP_SESSION_DURATION: Final = "mcp.server.session.duration"
TOOL_DURATION: Final = "gen_ai.execute_tool.duration"
ACTIVE_CALLS: Final = "toolgen.tool.active_calls"
QUEUE_DEPTH: Final = "toolgen.queue.depth"
SESSIONS: Final = "toolgen.sessions"
CONFIRMATIONS: Final = "toolgen.confirmations"
REFUSALS: Final = "toolgen.http.refusals"
LOOP_LAG: Final = "toolgen.event_loop.lag"
DEGRADED_PARTS: Final = "toolgen.degraded_parts"

# https://github.com/open-telemetry/semantic-conventions-genai (docs/gen-ai/mcp.md, metrics)
_SECONDS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
_SHORT: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)
_SESSION: Final = (1, 10, 60, 300, 1_800, 3_600, 10_800, 86_400)

Kind = Literal["histogram", "counter", "gauge"]


@dataclass(frozen=True, slots=True)
class Instrument:
    """A metric. The values of gauges are read when metrics are exported."""

    name: str
    kind: Kind
    unit: str
    description: str
    attributes: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


INSTRUMENTS: Final = (
    Instrument(
        TOOL_DURATION,
        "histogram",
        "s",
        "calls of tools, with their outcome (ok, error, cancelled, pending); error.type is the code",
        (TOOL, "gen_ai.tool.type", OUTCOME, ERROR_TYPE),
        _SECONDS,
    ),
    Instrument(ACTIVE_CALLS, "gauge", "{call}", "calls of tools that run now", (TOOL,)),
    Instrument(QUEUE_DEPTH, "gauge", "{call}", "calls that wait for a thread or for `concurrency`", (TOOL,)),
    Instrument(SESSIONS, "gauge", "{session}", "open HTTP sessions of clients up to 2025-11-25"),
    Instrument(MCP_SESSION_DURATION, "histogram", "s", "HTTP sessions that have ended", (), _SESSION),
    Instrument(
        CONFIRMATIONS,
        "counter",
        "{question}",
        "questions to users and their outcomes, as in the audit log",
        (TOOL, OUTCOME),
    ),
    Instrument(
        REFUSALS,
        "counter",
        "{request}",
        "HTTP requests that were refused before a tool was called",
        ("http.response.status_code",),
    ),
    Instrument(LOOP_LAG, "histogram", "s", "how late the event loop runs, twice a second", (), _SHORT),
    Instrument(DEGRADED_PARTS, "gauge", "{part}", "parts that do not work now", ("toolgen.part",)),
)  # fmt: skip
