"""Calls of imported tools: what goes over the wire, and what the caller gets. The cases are in `wire/`."""

from __future__ import annotations

from collections.abc import Callable
from email import message_from_bytes
from pathlib import Path
from typing import Any

import pytest
import yaml
from toolgen.schema.document import follow, parse_pointer

from tests.cli.conftest import Cli
from tests.importers.openapi.conftest import Api, Call, Request, document

CASES = sorted(Path(__file__).parent.joinpath("wire").glob("*.yaml"))


def sent(request: Request) -> dict[str, Any]:
    """The method and target, the headers, the body as text, and the parts of a multipart body."""
    kind = request.headers.get("content-type", "")
    message = message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode() + request.body)
    parts: list[Any] = message.get_payload() if message.is_multipart() else []
    return {
        "line": f"{request.method} {request.target}",
        **request.headers,
        "body": request.body.decode("latin-1"),
        "parts": [
            [part["Content-Disposition"], part["Content-Type"], part.get_payload(decode=True).decode()]
            for part in parts
        ],
    }


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_calls(
    called: Callable[..., Call], api: Api, empty: Cli, monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    case = yaml.safe_load(path.read_text())
    (empty.root / "toolgen.toml").write_text(
        (empty.root / "toolgen.toml").read_text() + case.get("settings", "")
    )
    for name, value in case.get("environment", {}).items():
        monkeypatch.setenv(name, value)
    call = called(document(case["paths"], **case.get("document", {})), *case.get("options", ()))
    for tool, expected in case.get("specs", {}).items():
        spec = yaml.safe_load((empty.root / f"specs/{tool}.yaml").read_text())
        assert {at: follow(spec, parse_pointer(at)) for at in expected} == expected
    for each in case["calls"]:
        answer = {"status": 200, "type": "application/json", "body": "{}", **each.get("answer", {})}
        api.answers = [(answer["status"], {"Content-Type": answer["type"]}, answer["body"].encode())]
        response = call(each["call"], each.get("with"), **each.get("caller", {}))
        got = {"gives": response.content} if response.error is None else {"error": response.error.code}
        expected = {key: each[key] for key in ("gives", "error") if key in each}
        assert got == (expected or {"gives": {}}), response.error
        if "sent" in each:
            found = sent(api.last)
            assert {key: found.get(key) for key in each["sent"]} == each["sent"]
