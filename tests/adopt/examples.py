"""Example servers of FastMCP and of the MCP SDK: adopted with one command, and compared with the original.

`python -m tests.adopt.examples` (`make adopt`) prints the table.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .comparing import Call, Comparison, compare, toolgen

SERVERS = Path(__file__).with_name("servers")
_WORDS = ("", "a", "two words", "Größe 漢字 🎉", 'with "quotes" and \\', "line\nbreak", "<b>&amp;</b>", "0")
_NUMBERS = (0, 1, 2, 40, -7, 12345678901234567890)
_WITHOUT_ARGUMENTS = (
    "audio_content",
    "elicitation_sep1034_defaults",
    "elicitation_sep1330_enums",
    "embedded_resource",
    "error_handling",
    "image_content",
    "input_required_result_capabilities",
    "input_required_result_elicitation",
    "input_required_result_list_roots",
    "input_required_result_multi_round",
    "input_required_result_multiple_inputs",
    "input_required_result_request_state",
    "input_required_result_sampling",
    "input_required_result_tampered_state",
    "logging_tool",
    "missing_capability",
    "multiple_content_types",
    "simple_text",
    "streaming_elicitation",
    "tool_with_logging",
    "tool_with_progress",
    "trigger_prompt_change",
    "trigger_tool_change",
)
_FLOATS = (0, 0.5, -2.25, 1e300, 1e-7)


@dataclass(frozen=True, slots=True)
class Example:
    """A vendored server and the calls that are made of it."""

    framework: str
    name: str
    server: str  # the object in the module
    calls: Sequence[Call]

    @property
    def id(self) -> str:
        """The name in tests."""
        return f"{self.framework}/{self.name}"


EXAMPLES = (
    Example("fastmcp", "complex_inputs", "mcp", [
        ("name_shrimp", {"tank": {"shrimp": [{"name": name[:10]} for name in names]}, "extra_names": extra})
        for names in (_WORDS, _WORDS[:1], ()) for extra in ([], ["x"], list(_WORDS[:3]))
    ]),
    Example("fastmcp", "config_server", "mcp", [
        ("get_status", {}), *(("echo_message", {"message": word}) for word in _WORDS),
    ]),
    Example("fastmcp", "custom_tool_serializer_decorator", "server", [
        ("get_example_data", {}), ("get_json_data", {}),
    ]),
    Example("fastmcp", "desktop", "mcp", [
        ("add", {"a": a, "b": b}) for a in _NUMBERS for b in _NUMBERS
    ]),
    Example("fastmcp", "echo", "mcp", [("echo_tool", {"text": word}) for word in _WORDS]),
    Example("fastmcp", "elicitation", "mcp", [("greet", {}), ("survey", {})]),
    Example("fastmcp", "mount_example", "app", [
        ("check_app_status", {}), ("news_get_news_headlines", {}),
        *(("weather_get_weather_forecast", {"location": word}) for word in _WORDS),
    ]),
    Example("fastmcp", "persistent_state", "server", [
        *(("set_value", {"key": word, "value": word}) for word in _WORDS),
        *(("get_value", {"key": word}) for word in (*_WORDS, "unknown")),
    ]),
    Example("fastmcp", "resources_as_tools", "mcp", [
        ("list_resources", {}),
        *(("read_resource", {"uri": uri}) for uri in (
            "config://app", "readme://main", "user://7/profile", "file://docs/a.txt", "nowhere://x", "no uri",
        )),
    ]),
    Example("fastmcp", "search_server_regex", "mcp", [
        *(("search_tools", {"pattern": pattern}) for pattern in ("add", ".*", "text|string", "nothing", "(")),
        *(("call_tool", {"name": "add", "arguments": {"a": a, "b": 1}}) for a in _NUMBERS),
        *(("call_tool", {"name": "reverse_string", "arguments": {"text": word}}) for word in _WORDS),
        *(("call_tool", {"name": "fibonacci", "arguments": {"n": n}}) for n in (-1, 0, 1, 9)),
        ("call_tool", {"name": "nothing", "arguments": {}}),
        ("call_tool", {"name": "add", "arguments": {"a": "x"}}),
    ]),
    Example("fastmcp", "testing_demo", "mcp", [
        *(("add", {"a": a, "b": b}) for a in _NUMBERS for b in _NUMBERS),
        *(("greet", {"name": word}) for word in _WORDS),
        *(("greet", {"name": "Ada", "greeting": word}) for word in _WORDS),
        *(("async_multiply", {"x": x, "y": y}) for x in _FLOATS for y in _FLOATS if abs(x * y) < 1e306),
    ]),
    Example("fastmcp", "versioned_components", "mcp", [
        ("calculate", {"x": x, "y": 1, **more}) for x in _NUMBERS for more in ({}, {"z": 5})
    ]),
    Example("mcp", "direct_call_tool_result_return", "mcp", [("echo", {"text": word}) for word in _WORDS]),
    Example("mcp", "everything_server", "mcp", [
        *((f"test_{name}", {}) for name in _WITHOUT_ARGUMENTS),
        ("json_schema_2020_12_tool", {"name": "a", "contactMethod": "email", "email": "a@example.com"}),
        *((name, {key: word}) for name, key in (("test_sampling", "prompt"), ("test_elicitation", "message"),
                                                ("test_x_mcp_header", "region")) for word in _WORDS[1:4]),
    ]),
    Example("mcp", "lifespan_example", "mcp", [("query_db", {})]),
    Example("mcp", "structured_output", "mcp", [
        *(("get_weather", {"city": word}) for word in _WORDS[:2]), ("get_location", {"address": "x"}),
        ("get_statistics", {"data_type": "x"}), ("list_cities", {}),
        ("get_temperature", {"city": "Oslo"}),
    ]),
    Example("mcp", "tool_progress", "mcp", [
        *(("long_running_task", {"task_name": word}) for word in _WORDS),
        *(("long_running_task", {"task_name": "x", "steps": steps}) for steps in (-1, 0, 1, 20)),
    ]),
    Example("mcp", "unicode_example", "mcp", [
        ("hello_unicode", {}), ("list_emoji_categories", {}), ("multilingual_hello", {}),
        *(("hello_unicode", {"name": word, "greeting": other}) for word in _WORDS for other in _WORDS[:3]),
    ]),
    Example("mcp", "weather_structured", "mcp", [
        *(("get_weather_summary", {"city": word}) for word in _WORDS),
        *(("get_weather_metrics", {"cities": list(_WORDS[:length])}) for length in range(5)),
        *(("get_weather_alerts", {"region": region}) for region in ("California", "california", "Ohio")),
        *(("get_temperature", {"city": "x", "unit": unit}) for unit in ("celsius", "Fahrenheit", "kelvin")),
        *(("get_weather_stats", {"city": "x", "days": days}) for days in (-1, 0, 7, 10**12)),
    ]),
)  # fmt: skip


def adopt(example: Example, folder: Path) -> Comparison:
    """Adopt a server in an empty folder with one command, generate, and compare."""
    (folder / "toolgen.toml").write_text('implementations = "tools"\n')
    shutil.copy(SERVERS / example.framework / f"{example.name}.py", folder)
    target = f"{example.name}:{example.server}"
    for words in (("import", "fastmcp", target, "--implement"), ("generate",)):
        done = toolgen(folder, *words)
        assert done.returncode == 0, done.stderr
    return compare(folder, target, example.calls)


def main() -> int:
    """Adopt all examples and print the table."""
    row = "{:42} {:>5} {:>6} {:>7} {:>9}  {}"
    print(row.format("server", "tools", "calls", "errors", "equal", "content"))
    equal = calls = 0
    for example in EXAMPLES:
        with tempfile.TemporaryDirectory(prefix="toolgen-") as folder:
            result = adopt(example, Path(folder))
        # each in both eras
        made = 2 * result.calls
        same = made - len(result.answers)
        calls, equal = calls + made, equal + same
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(result.blocks.items()))
        listing = "" if not result.listing else "  tools/list differs"
        shown = f"{same}/{made}"
        print(
            row.format(example.id, len(result.tools), made, result.errors, shown, kinds + listing), flush=True
        )
        for difference in (*result.listing, *result.answers[:3]):
            print(difference)
    print(f"{len(EXAMPLES)} servers, {equal} of {calls} calls equal, in both eras of MCP")
    return 0 if equal == calls else 1


if __name__ == "__main__":
    sys.exit(main())
