"""Documents as people have them: what is imported, what the API receives, and what its answers become.

Each case is a file in `documents/`: `document` and further `files`, the `options` of the import, what is in
its `notes`, expected fields of `specs`, and `calls`. `$API` is the URL of the API.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.conftest import Cli
from tests.importers.openapi.conftest import Api, Call

CASES = sorted((Path(__file__).parent / "documents").glob("*.yaml"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_documents_as_they_are(
    called: Callable[..., Call], api: Api, empty: Cli, monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    case = yaml.safe_load(path.read_text().replace("$API", api.url))
    for name, value in case.get("env", {}).items():
        monkeypatch.setenv(name, value)
    for name, content in case.get("files", {}).items():
        file = empty.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content))
    call = called(case["document"], *case.get("options", ()))

    specs = {file.stem: yaml.safe_load(file.read_text()) for file in (empty.root / "specs").glob("*.yaml")}
    shown = {name: pick(specs[name], fields) for name, fields in case.get("specs", {}).items()}
    assert shown == case.get("specs", {})
    assert sorted(case.get("names", specs)) == sorted(specs)
    assert [note for note in case.get("notes", ()) if note not in api.notes] == [], api.notes
    for each in case.get("calls", ()):
        made = len(api.requests)
        answer = json.dumps(each.get("answer", {})).encode()
        api.answers[:] = [(each.get("status", 200), each.get("headers", {}), answer)]
        response = call(each["tool"], each.get("arguments", {}))
        expected = each.get("content", each.get("answer", {})) if "error" not in each else None
        assert (response.error and response.error.code) == each.get("error"), response.error
        assert expected is None or response.content == expected
        assert each.get("message", "") in str(response.error)
        for request in api.requests[made:]:
            found = {"method": request.method, "target": request.target, "headers": request.headers}
            found |= {"json": request.json} if request.body else {}
            assert pick(found, each.get("sent", {})) == each.get("sent", {})


def pick(value: Any, expected: Any) -> Any:
    """Return what `value` has where `expected` has something: its other keys are of no interest."""
    if isinstance(value, dict) and isinstance(expected, dict):
        return {key: pick(value.get(key), inner) for key, inner in expected.items()}
    if isinstance(value, list) and isinstance(expected, list) and len(value) == len(expected):
        return [pick(*pair) for pair in zip(value, expected, strict=True)]
    return value
