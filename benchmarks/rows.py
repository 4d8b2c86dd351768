"""The rows of the tables: measurements, their baselines, and targets."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A ratio of two cases of a group. `target` applies to `at` specs; other sizes are only shown."""

    id: str
    what: str
    group: str
    ours: str
    baseline: str
    target: float | None  # None: no target
    at: int | None = 1000  # None: independent of the number of specs


ENGINE = "datamodel-codegen, mcp-tools"
PASS = "python -c pass"

ROWS = (
    Row("help", "`toolgen --help`", "start", "toolgen --help", PASS, 4.5, None),
    Row(
        "check", "`check`, nothing changed", "check", "toolgen check", "bare Python script, same hashes", 2.0
    ),
    Row("one", "`generate`, one spec changed", "generate", "toolgen generate, one changed", ENGINE, 0.10),
    Row("full", "`check` without cache", "generate", "toolgen check, no cache", ENGINE, 0.65),
    Row("cold", "`generate`, cold", "generate", "toolgen generate, cold", ENGINE, 0.70),
    Row("memory", "peak memory of `generate`, cold", "memory", "toolgen generate, cold", ENGINE, 1.0),
    Row(
        "scale",
        "cost per further spec, `generate` cold",
        "scale",
        "generate, beyond 1,000",
        "generate, up to 1,000",
        1.2,
        None,
    ),
    Row(
        "scale-check",
        "cost per further spec, `check`",
        "scale",
        "check, beyond 1,000",
        "check, up to 1,000",
        1.2,
        None,
    ),
    Row("adopt", "`import mcp`, per tool", "adopt", "toolgen import mcp", ENGINE, None),
    Row(
        "adopt-all",
        "the same and `generate`, per tool",
        "adopt",
        "toolgen import mcp, generate",
        ENGINE,
        None,
    ),
    Row("import", "`import generated`", "start", "import generated", PASS, 1.3),
    Row("catalog", "import and list a catalog", "catalog", "catalog, listed", "json.load", 5.0, 5000),
    Row("catalog-again", "list it again", "catalog", "catalog, listed again", "catalog, listed", 0.1, 5000),
    Row(
        "catalog-memory",
        "peak memory of that",
        "catalog",
        "catalog, peak memory",
        "250 MB",
        1.0,
        5000,
    ),
    Row(
        "server",
        "MCP server, start to first `tools/list`",
        "server",
        "toolgen, all tools",
        "toolgen, one tool",
        1.3,
    ),
    Row("call", "one call through the runtime", "call", "runtime", "by hand", 1.6, None),
    Row(
        "mcp",
        "one call through the MCP adapter",
        "call",
        "MCP adapter",
        "low-level handler by hand",
        1.25,
        None,
    ),
    Row(
        "refusal",
        "the slowest refused call",
        "refusal",
        "refused call, the worst",
        "0.2 seconds",
        1.0,
        None,
    ),
    Row("mcp-mcpserver", "the same, compared with MCPServer", "call", "MCP adapter", "MCPServer", 1.0, None),
    Row("mcp-fastmcp", "the same, compared with fastmcp", "call", "MCP adapter", "fastmcp", 1.0, None),
    *(
        Row(
            f"http-{count}",
            f"one call over HTTP, {count} connection{'s' if count > 1 else ''}",
            "http",
            f"toolgen, {count} connection{'s' if count > 1 else ''}",
            f"low-level server by hand, {count} connection{'s' if count > 1 else ''}",
            1.05,
            None,
        )
        for count in (1, 16, 64)
    ),
)

# toolgen's case in the comparison with all others of its group
OURS = {
    "start": "toolgen --help",
    "check": "toolgen check",
    "generate": "toolgen generate, cold",
    "adopt": "toolgen import mcp",
    "catalog": "catalog, listed",
    "server": "toolgen, all tools",
    "call": "MCP adapter",
    "http": "toolgen, 1 connection",
}
