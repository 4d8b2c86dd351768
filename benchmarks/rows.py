"""The rows of the tables: measurements, their baselines, and targets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A ratio of two cases of a group.

    The target applies to `at` specs, or there is one for each of some sizes; other sizes are only shown.
    """

    id: str
    what: str
    group: str
    ours: str
    baseline: str
    target: float | Mapping[int, float] | None  # None: no target
    at: int | None = 1000  # None: independent of the number of specs

    def target_at(self, size: int) -> float | None:
        """Return the target for `size` specs."""
        if isinstance(self.target, Mapping):
            return self.target.get(size)
        return self.target if self.at in (None, size) else None


ENGINE = "datamodel-codegen, mcp-tools"
PASS = "python -c pass"


def _of_generate(ending: str, which: str, group: str) -> Iterator[Row]:
    """Yield the rows of `generate` and `check` with one corpus."""
    cold, one = "toolgen generate, cold", "toolgen generate, one changed"
    yield Row(f"cold{ending}", f"`generate`, cold{which}", group, cold, ENGINE, {40: 0.5, 1000: 0.25})
    core = f"`generate`, cold, on one core{which}"
    yield Row(f"cold-core{ending}", core, group, "toolgen generate, one core", ENGINE, 0.45)
    full = f"`check` without cache{which}"
    yield Row(f"full{ending}", full, group, "toolgen check, no cache", ENGINE, 0.25)
    yield Row(f"one{ending}", f"`generate`, one spec changed{which}", group, one, ENGINE, 0.04)
    yield Row(f"one-few{ending}", f"the same, compared with Python{which}", group, one, PASS, 12.0, 10)
    watch = group.replace("generate", "watch")
    fresh = f"`generate --watch`, edit to fresh{which}"
    yield Row(f"watch{ending}", fresh, watch, "generate --watch, edit to fresh", "0.3 seconds", 1.0)


def _of_scale(ending: str, which: str, group: str) -> Iterator[Row]:
    """Yield the rows of the cost of a further spec with one corpus."""
    for verb, ident in (("generate", "scale"), ("check", "scale-check")):
        what = f"cost per further spec, `{verb}`{' cold' * (verb == 'generate')}{which}"
        yield Row(f"{ident}{ending}", what, group, f"{verb}, beyond 1,000", f"{verb}, up to 1,000", 1.2, None)


def _of_document(ident: str, owner: str) -> Iterator[Row]:
    """Yield the rows of a large OpenAPI document."""
    importing, generating = "toolgen import openapi", "toolgen generate, cold"
    yield Row(f"{ident}-import", f"`import openapi`, {owner} API", ident, importing, generating, None, None)
    for what, before in (("bytes", "bytes before"), ("lines", "lines before")):
        generated = f"generated {what}"
        yield Row(
            f"{ident}-{what}", f"{generated}, {owner} API, imported", ident, generated, before, 1 / 3, None
        )
    listing = f"`tools/list` without output schemas, {owner} API"
    plain = "listed bytes, without output schemas"
    yield Row(f"{ident}-listing-bytes", listing, ident, plain, "listed bytes", 0.25, None)


ROWS = (
    Row("help", "`toolgen --help`", "start", "toolgen --help", PASS, 4.5, None),
    Row(
        "check", "`check`, nothing changed", "check", "toolgen check", "bare Python script, same hashes", 2.0
    ),
    Row(
        "breaking",
        "`breaking`, one spec changed",
        "breaking",
        "toolgen breaking, one changed",
        "toolgen check, one changed",
        1.5,
    ),
    *_of_generate("", "", "generate"),
    Row("lint", "`lint`", "generate", "toolgen lint", "toolgen generate, cold", 0.5),
    Row(
        "keystroke",
        "`lsp`, keystroke to diagnostics, 500 lines",
        "keystrokes",
        "toolgen lsp, keystroke to diagnostics",
        "0.05 seconds",
        1.0,
    ),
    Row("page", "page of `docs`, open in Chromium", "pages", "toolgen docs, opened", "2 seconds", 1.0),
    Row(
        "page-gallery",
        "page of the gallery, open in Chromium",
        "pages",
        "toolgen docs, gallery, opened",
        "1 second",
        1.0,
        None,
    ),
    Row(
        "page-reload",
        "`dev`, saved spec of the gallery to page",
        "page-reloads",
        "toolgen dev, saved to shown",
        "0.5 seconds",
        1.0,
        None,
    ),
    *_of_generate("-plain", ", plain specs", "generate-plain"),
    Row("memory", "peak memory of `generate`, cold", "memory", "toolgen generate, cold", ENGINE, 1.0),
    *_of_scale("", "", "scale"),
    *_of_scale("-plain", ", plain specs", "scale-plain"),
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
        "catalog-toolkit",
        "import it, and use one tool of its toolkit",
        "catalog",
        "catalog, one tool of a toolkit",
        "catalog, listed",
        0.2,
        5000,
    ),
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
    Row(
        "mock",
        "`mock`, start to first `tools/list`",
        "mock",
        "toolgen mock",
        "low-level server, and specs read",
        {100: 1.5, 1000: 1.5},
    ),
    Row("call", "one call through the runtime", "call", "runtime", "by hand", 1.6, None),
    Row(
        "call-schemas",
        "the same, compared with a call by hand that checks both schemas",
        "call",
        "runtime",
        "by hand, with both schemas",
        1.6,
        None,
    ),
    Row("call-logged", "the same with its log record", "call", "runtime, logged", "runtime", 1.6, None),
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
    Row(
        "worst",
        "the worst request, how long another client waits",
        "worst",
        "worst request, another client waits",
        "0.5 seconds",
        1.0,
        None,
    ),
    Row(
        "worst-memory",
        "the worst request, memory",
        "worst",
        "worst request, memory",
        "20 times its size and 32 MiB",
        1.0,
        None,
    ),
    Row(
        "blocks",
        "20 MB of blocks over stdio, longest stall",
        "blocks",
        "blocks, longest stall",
        "low-level server, longest stall",
        1.0,
        None,
    ),
    Row(
        "blocks-memory",
        "20 MB of blocks over stdio, memory",
        "blocks",
        "blocks, peak memory",
        "7 times the data",
        1.0,
        None,
    ),
    Row("mcp-mcpserver", "the same, compared with MCPServer", "call", "MCP adapter", "MCPServer", 1.0, None),
    Row("mcp-fastmcp", "the same, compared with fastmcp", "call", "MCP adapter", "fastmcp", 1.0, None),
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
    Row(
        "client-import",
        "import of a typed client, compared with one of one tool",
        "client-import",
        "import of a client",
        "client of one tool",
        1.5,
    ),
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
    Row(
        "observed",
        "processor time of one call over HTTP with metrics, traces and audit log",
        "observed",
        "toolgen, observed",
        "toolgen",
        1.15,
        None,
    ),
    Row(
        "observed-sampled",
        "the same, one call in ten traced",
        "observed",
        "toolgen, one call in ten traced",
        "toolgen",
        1.15,
        None,
    ),
    Row(
        "rate-limit",
        "one call over HTTP of a tool with `rate_limit`, in memory",
        "protected",
        "toolgen, rate limit",
        "toolgen",
        None,
        None,
    ),
    Row(
        "idempotency",
        "one call over HTTP with an idempotency key of its own, in memory",
        "protected",
        "toolgen, idempotency key",
        "toolgen",
        None,
        None,
    ),
    *_of_document("github", "GitHub's"),
    *_of_document("stripe", "Stripe's"),
)

# toolgen's case in the comparison with all others of its group
OURS = {
    "start": "toolgen --help",
    "check": "toolgen check",
    "generate": "toolgen generate, cold",
    "generate-plain": "toolgen generate, cold",
    "adopt": "toolgen import mcp",
    "catalog": "catalog, listed",
    "server": "toolgen, all tools",
    "mock": "toolgen mock",
    "call": "MCP adapter",
    "http": "toolgen, 1 connection",
    "gateway": "gateway",
}
