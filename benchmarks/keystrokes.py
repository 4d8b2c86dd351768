"""Measure `toolgen lsp`: from a keystroke in a spec of 500 lines to its diagnostics, in a whole project.

The editor's side is written by hand, so that no client's time is included.
"""

from __future__ import annotations

import json
import subprocess
import time
from types import TracebackType
from typing import Any

from . import corpus
from .process import Wrong
from .project import TOOLGEN, Project

LINES = 500
_FIELD = """\
    more_{number:03}:
      type: string
      description: A remark about line {number} that the warehouse prints on its label.
      maxLength: 80
"""


def long_spec() -> str:
    """Return a spec of the corpus with so many properties that it has `LINES` lines."""
    text = corpus.to_yaml(corpus.spec(0))
    head, mark, rest = text.partition("  properties:\n")
    missing = LINES - text.count("\n")
    fields = "".join(_FIELD.format(number=number) for number in range(missing // _FIELD.count("\n")))
    return head + mark + fields + rest + "# end\n" * (missing % _FIELD.count("\n"))


class Typing:
    """A running server that has looked at all specs of a project, and a file to type in."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._file = project.folder / "specs" / f"{corpus.name(0)}.yaml"
        self._text = long_spec()
        self._version = 1

    def __enter__(self) -> Typing:
        """Start it, open the file, and wait until a question about all files is answered."""
        self._process = subprocess.Popen(
            [TOOLGEN, "lsp"],
            cwd=self._project.folder,
            env=self._project.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._send(
            {
                "id": 1,
                "method": "initialize",
                "params": {"processId": None, "rootUri": None, "capabilities": {}},
            }
        )
        self._until(lambda message: message.get("id") == 1)
        self._send({"method": "initialized", "params": {}})
        opened = {"uri": self._file.as_uri(), "languageId": "yaml", "version": 1, "text": self._text}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": opened}})
        asked = {"textDocument": {"uri": self._file.as_uri()}, "position": {"line": 1, "character": 1}}
        self._send({"id": 2, "method": "textDocument/hover", "params": asked})
        self._until(lambda message: message.get("id") == 2)
        return self

    def keystroke(self) -> float:
        """Type, and return the seconds until the diagnostics are there: of a mistake, or none."""
        self._version += 1
        is_wrong = self._version % 2 == 0
        text = self._text.replace("description:", "descriptio:", 1) if is_wrong else self._text
        document = {"uri": self._file.as_uri(), "version": self._version}
        began = time.perf_counter()
        self._send(
            {
                "method": "textDocument/didChange",
                "params": {"textDocument": document, "contentChanges": [{"text": text}]},
            }
        )
        found = self._until(lambda message: message.get("params", {}).get("version") == self._version)
        seconds = time.perf_counter() - began
        codes = [each["code"] for each in found["params"]["diagnostics"]]
        if ("unknown-field" in codes) != is_wrong:
            raise Wrong(f"toolgen lsp found {codes}")
        return seconds

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def _until(self, wanted: Any) -> dict[str, Any]:
        assert self._process.stdout
        while True:
            length = 0
            while (line := self._process.stdout.readline().strip()) or not length:
                if not line and self._process.poll() is not None:
                    raise Wrong("toolgen lsp has ended")
                if line.startswith(b"Content-Length: "):
                    length = int(line.removeprefix(b"Content-Length: "))
            message: dict[str, Any] = json.loads(self._process.stdout.read(length))
            if wanted(message):
                return message

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()
