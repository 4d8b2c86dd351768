"""Documents as people have them: what is imported, what the API receives, and what its answers become.

Each case is a file in `documents/`: `paths`, or more of the `document`, and further `files`; `settings` of the
project, the `environment`, `options` of the import; what is in its `notes`, the `names` of all specs, expected
fields of `specs`; and `calls`. A call gives the body of its `answer`, unless it says what it `gives`. `$API`
is the URL of the API.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from email import message_from_bytes
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.conftest import Cli
from tests.importers.openapi.conftest import Api, Call, Request, document

CASES = sorted(Path(__file__).parent.joinpath("documents").glob("*.yaml"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_documents_as_they_are(
    called: Callable[..., Call], api: Api, empty: Cli, monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    case = yaml.safe_load(path.read_text().replace("$API", api.url))
    for name, value in case.get("environment", {}).items():
        monkeypatch.setenv(name, value)
    settings = (empty.root / "toolgen.toml").read_text() + case.get("settings", "")
    for name, content in {**case.get("files", {}), "toolgen.toml": settings}.items():
        (empty.root / name).parent.mkdir(parents=True, exist_ok=True)
        (empty.root / name).write_text(content if isinstance(content, str) else json.dumps(content))
    whole = {**document(case.get("paths", {})), **case.get("document", {})}
    call = called(whole, *case.get("options", ()))

    specs = {file.stem: yaml.safe_load(file.read_text()) for file in (empty.root / "specs").glob("*.yaml")}
    expected = {"specs": {}, "names": list(specs), **case}
    assert pick(specs, expected["specs"]) == expected["specs"]
    assert sorted(expected["names"]) == sorted(specs)
    assert [note for note in case.get("notes", ()) if note not in api.notes] == [], api.notes
    for each in case.get("calls", ()):
        answer = {"status": 200, "type": "application/json", "body": {}, **each.get("answer", {})}
        body = answer["body"] if isinstance(answer["body"], str) else json.dumps(answer["body"])
        api.answers[:] = [
            (answer["status"], {"Content-Type": answer["type"], **answer.get("headers", {})}, body.encode())
        ]
        response = call(each["call"], each.get("with"), **each.get("caller", {}))
        error = {"error": None, "message": "", "details": None, **each}
        assert (response.error and response.error.code) == error["error"], response.error
        assert error["message"] in str(response.error)
        assert error["details"] in (None, response.error and response.error.details)
        if not response.error:
            assert response.content == each.get("gives", {} if body == answer["body"] else answer["body"])
        if "sent" in each:
            assert pick(sent(api.last), each["sent"]) == each["sent"]


def pick(value: Any, expected: Any) -> Any:
    """Return what `value` has where `expected` has something: its other keys are of no interest."""
    if isinstance(value, dict) and isinstance(expected, dict):
        return {key: pick(value.get(key), inner) for key, inner in expected.items()}
    if isinstance(value, list) and isinstance(expected, list) and len(value) == len(expected):
        return [pick(*pair) for pair in zip(value, expected, strict=True)]
    return value


def sent(request: Request) -> dict[str, Any]:
    """The method and target, the headers, the body as text, and the parts of a multipart body."""
    kind = request.headers.get("content-type", "")
    message = message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode() + request.body)
    parts: list[Any] = message.get_payload() if message.is_multipart() else []
    return {
        "line": f"{request.method} {request.target}",
        "target": request.target,
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
