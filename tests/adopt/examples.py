"""Example servers of FastMCP and of the MCP SDK: adopted with one command, and compared with the original.

`python -m tests.adopt.examples [NAME …]` (`make adopt`) prints the table.
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


@dataclass(frozen=True, slots=True)
class Example:
    """A vendored server and the calls that are made of it."""

    framework: str
    name: str
    server: str  # the object in the module
    calls: Sequence[Call]
    in_processes: bool = False  # compared as commands, because calls change the server

    @property
    def id(self) -> str:
        """The name in tests."""
        return f"{self.framework}/{self.name}"


EXAMPLES = (
    Example("fastmcp", "elicitation", "mcp", [("greet", {}), ("survey", {})]),
    Example("fastmcp", "namespace_activation", "server", [
        ("activate_finance", {}), ("activate_admin", {}), ("deactivate_all", {}),
    ], in_processes=True),
    Example("fastmcp", "search_server_regex", "mcp", [
        *(("search_tools", {"pattern": pattern}) for pattern in ("add", ".*", "text|string", "nothing", "(")),
        *(("call_tool", {"name": "add", "arguments": {"a": a, "b": 1}}) for a in _NUMBERS),
        *(("call_tool", {"name": "reverse_string", "arguments": {"text": word}}) for word in _WORDS),
        *(("call_tool", {"name": "fibonacci", "arguments": {"n": n}}) for n in (-1, 0, 1, 9)),
        ("call_tool", {"name": "nothing", "arguments": {}}),
        ("call_tool", {"name": "add", "arguments": {"a": "x"}}),
    ]),
    Example("mcp", "prompt_menu", "mcp", [
        ("save_template", {"name": name, "instruction": word}) for name in ("brief", "review_code") for word in _WORDS
    ], in_processes=True),
    Example("mcp", "sprint_board", "mcp", [
        ("complete_task", {"board": "sprint", "task": "design"}), ("complete_task", {"board": "x", "task": "y"}),
        ("enable_reports", {}),
    ], in_processes=True),
    Example("mcp", "structured_output", "mcp", [
        *(("get_weather", {"city": word}) for word in _WORDS[:2]), ("get_location", {"address": "x"}),
        ("get_statistics", {"data_type": "x"}), ("list_cities", {}),
        ("get_temperature", {"city": "Oslo"}),
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
    return compare(folder, target, example.calls, *(["stdio"] if example.in_processes else []))


def main(names: Sequence[str] = ()) -> int:
    """Adopt all examples, or those with these names, and print the table."""
    examples = [each for each in EXAMPLES if not names or each.name in names]
    row = "{:42} {:>5} {:>6} {:>7} {:>9} {:>9}  {}"
    print(row.format("server", "tools", "calls", "errors", "equal", "features", "content"))
    equal = calls = same_requests = requests = 0
    for example in examples:
        with tempfile.TemporaryDirectory(prefix="toolgen-") as folder:
            result = adopt(example, Path(folder))
        # each in both eras
        made = 2 * result.calls
        same = made - len(result.answers)
        calls, equal = calls + made, equal + same
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(result.blocks.items()))
        listing = "" if not result.listing else "  tools/list differs"
        answered = result.requests - len(result.features)
        requests, same_requests = requests + result.requests, same_requests + answered
        shown = (f"{same}/{made}", f"{answered}/{result.requests}")
        print(
            row.format(example.id, len(result.tools), made, result.errors, *shown, kinds + listing),
            flush=True,
        )
        for difference in (*result.listing, *result.answers[:3], *result.features[:3]):
            print(difference)
    print(
        f"{len(examples)} servers, {equal} of {calls} calls and {same_requests} of {requests} requests for"
        " resources, prompts and completions equal, in both eras of MCP"
    )
    return 0 if (equal, same_requests) == (calls, requests) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
