"""Names of metrics, spans and attributes; `instruments.toml` has the metrics.

Names that do not begin with `toolgen.` are those of OpenTelemetry's semantic conventions for MCP and GenAI,
schema 1.42.0-dev with the general conventions 1.44.0, status "development" in November 2026:
https://github.com/open-telemetry/semantic-conventions-genai (docs/gen-ai/mcp.md, model/gen-ai/metrics.yaml).
"""

from __future__ import annotations

from typing import Final

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
