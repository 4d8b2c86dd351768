"""The rows of the table: what is measured, its baseline, and the target."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A ratio of two cases of a group; the target applies to `at` specs, other sizes are only shown."""

    id: str
    what: str
    group: str
    ours: str
    baseline: str
    target: float | None
    at: int | None = 1000  # None: independent of the number of specs

    def target_at(self, size: int) -> float | None:
        """Return the target for `size` specs."""
        return self.target if self.at in (None, size) else None


ENGINE = "datamodel-codegen, mcp-tools"
PASS = "python -c pass"
COLD = "toolgen generate, cold"
BY_HAND = "low-level server by hand"

ROWS = (
    Row("help", "`toolgen --help`", "start", "toolgen --help", PASS, 4.5, None),
    Row("import", "`import generated`", "start", "import generated", PASS, 1.3),
    Row("check", "`check`, nothing changed", "check", "toolgen check", PASS, None),
    Row("full", "`check` without cache", "generate", "toolgen check, no cache", ENGINE, None),
    Row("cold", "`generate`, cold", "generate", COLD, ENGINE, 0.45),
    Row("one", "`generate`, one spec changed", "generate", "toolgen generate, one changed", ENGINE, 0.04),
    Row("list", "import and list a catalog", "catalog", "catalog, listed", "json.load", 5.0, 5000),
    Row(
        "server",
        "MCP server, start to first `tools/list`",
        "server",
        "toolgen, all tools",
        "toolgen, one tool",
        1.3,
    ),
    Row("call", "one call through the runtime", "call", "runtime", "by hand", 3.0, None),
    Row("mcp", "one call through the MCP adapter", "call", "MCP adapter", BY_HAND, 1.25, None),
    Row("http-1", "one call over HTTP, 1 connection", "http", "toolgen, 1", f"{BY_HAND}, 1", 1.05, None),
    Row("http-16", "one call over HTTP, 16 connections", "http", "toolgen, 16", f"{BY_HAND}, 16", 1.05, None),
    Row("gateway", "one call through a gateway", "gateway", "gateway", "bare SDK proxy", 1.15, None),
    Row(
        "client",
        "one call of a typed client",
        "client",
        "typed client",
        "raw call and one validation",
        1.15,
        None,
    ),
)
