"""A project with the specs of a shop, and the server that it tests."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.conftest import Cli, Done

SERVER = Path(__file__).with_name("shop_server.py")
SPECS = {
    path.stem: path.read_text("utf-8") for path in sorted(Path(__file__).with_name("specs").glob("*.yaml"))
}


@dataclass
class Shop:
    """A project with the specs of a shop, and its server."""

    cli: Cli

    @property
    def listing(self) -> Path:
        return self.cli.root / "listed.json"

    def command(self, fault: str = "") -> str:
        return shlex.join([sys.executable, "-I", "-S", str(SERVER), str(self.listing), fault])

    def test(self, *words: str, fault: str = "", against: str | None = None) -> Done:
        return self.cli("test", *words, "--max-calls", "12", "--against", against or self.command(fault))

    def report(self, *words: str, fault: str = "", against: str | None = None) -> dict[str, Any]:
        done = self.test(*words, "--format", "json", fault=fault, against=against)
        report: dict[str, Any] = json.loads(done.out) if done.out else {}
        failed = [tool["name"] for tool in report["tools"] if tool["failures"]]
        assert (done.code, done.err) == (1 if failed else 0, ""), done.err
        return report

    def tool(self, name: str, fault: str = "", against: str | None = None) -> dict[str, Any]:
        words = ["--all-calls"] if name == "clear" else []  # it acts
        (tool,) = self.report(name, *words, fault=fault, against=against)["tools"]
        return dict(tool)

    def failure(self, name: str, fault: str) -> dict[str, Any]:
        return dict(self.tool(name, fault)["failures"][0])

    def relist(self, **changes: dict[str, Any] | None) -> None:
        """Change what the server lists: fields of tools by name; None: not the tool."""
        tools = json.loads(self.listing.read_text())["tools"]
        listed = [{**tool, **(changes.get(tool["name"]) or {})} for tool in tools]
        kept = [tool for tool in listed if changes.get(tool["name"], {}) is not None]
        self.listing.write_text(json.dumps({"tools": kept}))
