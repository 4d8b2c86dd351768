"""Calls of imported tools: what goes over the wire, and what the caller gets. The cases are in `wire/`."""

from __future__ import annotations

import json
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
            [
                part["Content-Disposition"],
                part["Content-Type"],
                part.get_payload(decode=True).decode("latin-1"),
            ]
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
        headers = {"Content-Type": answer["type"], **answer.get("headers", {})}
        api.answers = [(answer["status"], headers, answer["body"].encode())]
        response = call(each["call"], each.get("with"), **each.get("caller", {}))
        got = {"gives": response.content} if response.error is None else {"error": response.error.code}
        expected = {key: each[key] for key in ("gives", "error") if key in each}
        assert got == (expected or {"gives": {}}), response.error
        about = {name: getattr(response.error, name) for name in ("message", "details") if name in each}
        assert about == {name: each[name] for name in about}
        if "sent" in each:
            found = sent(api.last)
            assert {key: found.get(key) for key in each["sent"]} == each["sent"]


def test_a_sync_keeps_what_specs_say_about_answers_and_scopes(empty: Cli) -> None:
    (empty.root / "toolgen.toml").write_text("")
    paths: dict[str, Any] = {}

    def synced(*words: str, new: str = "") -> dict[str, Any]:
        responses = {"200": {"description": "OK"}}
        parameters = [{"name": "at", "in": "query", "schema": {"type": "string", "format": "date"}}]
        if new:
            operation = {"summary": new, "operationId": new, "parameters": parameters, "responses": responses}
            paths[f"/{new}"] = {"get": operation}
        (empty.root / "api.json").write_text(json.dumps(document(paths)))
        done = empty("import", "openapi", "api.json", "--sync", *words)
        assert done.code == 0, done.err
        specs = [yaml.safe_load(path.read_text()) for path in sorted((empty.root / "specs").glob("*.yaml"))]
        return {
            spec["name"]: (
                spec["x-openapi"].get("answers"),
                "format" in spec["input_schema"]["properties"]["at"],
                *spec.get("auth", {}).get("scopes", ()),
            )
            for spec in specs
        }

    assert synced("--answers=logged", new="a") == {"a": ("logged", False)}
    assert synced(new="b") == {"a": ("logged", False), "b": ("logged", False)}
    path = empty.root / "specs/a.yaml"
    path.write_text(
        path.read_text().replace("answers: logged", "answers: checked") + "auth: {scopes: [read]}\n"
    )
    (empty.root / "toolgen.toml").write_text('[import]\nanswers = "shape"\n')
    kept = {"a": ("checked", True, "read"), "b": ("logged", False)}
    assert synced(new="c") == {**kept, "c": (None, False)}
    assert set(synced("--answers=checked").values()) == {("checked", True, "read"), ("checked", True)}


def test_what_differs_is_told_once_by_the_log_and_by_the_tests(
    called: Callable[..., Call], empty: Cli, caplog: pytest.LogCaptureFixture
) -> None:
    schema = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}
    content = {"200": {"description": "OK", "content": {"application/json": {"schema": schema}}}}
    paths = {"/a": {"get": {"operationId": "a", "summary": "A", "responses": content}}}
    call = called(document(paths), "--answers=logged")
    assert call("a").content == call("a").content == {}
    (message,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert message.endswith(
        "differs from output_schema, and is passed on:\n- $.id: required property is missing, expected integer"
    )
    done = empty("test", "--max-calls", "4")
    assert done.code == 0, done
    assert done.out.count("$.id: required property is missing") == 1
