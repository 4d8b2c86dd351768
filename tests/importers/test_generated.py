"""What an import writes, `generate` accepts: beside specs that exist, and whatever its size."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.cli.conftest import Cli

OBJECT = {"type": "object"}
SOURCES = {
    "mcp": lambda name, schema: {"name": name, "description": "d", "inputSchema": schema},
    "openai": lambda name, schema: {
        "type": "function",
        "function": {"name": name, "description": "d", "parameters": schema},
    },
    "openapi": lambda name, schema: {
        "openapi": "3.1.0",
        "info": {"title": "A", "version": "1"},
        "servers": [{"url": "https://shop.example"}],
        "paths": {
            "/a": {
                "post": {
                    "operationId": name,
                    "requestBody": {"content": {"application/json": {"schema": schema}}},
                    "responses": {"200": {"description": "d"}},
                }
            }
        },
    },
}


def source(cli: Cli, kind: str, name: str, schema: dict[str, Any] = OBJECT) -> str:
    (cli.root / "toolgen.toml").write_text('specs = "specs"\noutput = "generated"\n')
    (cli.root / "source.json").write_text(json.dumps(SOURCES[kind](name, schema)))
    return "source.json"


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize(
    ("existing", "name", "into"),
    [
        ("name: get_item", "get-item", "specs"),
        ("name: get_item", "get_item", "specs/other"),
        ("name: item\naliases: [get_item]", "get_item", "specs"),
    ],
    ids=["python-name", "other-folder", "alias"],
)
def test_a_tool_beside_one_of_a_similar_name(
    empty: Cli, kind: str, existing: str, name: str, into: str
) -> None:
    (empty.root / "specs").mkdir(exist_ok=True)
    path = empty.root / "specs" / f"{existing.split()[1]}.yaml"
    path.write_text(f"{existing}\ndescription: d\ninput_schema: {{type: object}}\n")
    assert empty("import", kind, source(empty, kind, name), "--into", into).code == 0
    assert empty("generate").code == 0


@pytest.mark.parametrize("kind", SOURCES)
def test_a_spec_that_would_be_too_large_is_refused(empty: Cli, kind: str) -> None:
    text = {"type": "string", "description": "d" * 5_000}
    schema = {"type": "object", "properties": {f"p{number}": text for number in range(900)}}
    done = empty("import", kind, source(empty, kind, "large", schema))
    assert done.code == 2
    assert "error[too-complex] " in done.err
    assert re.search(r"large.*: 4,5|large.yaml would be a file of 4,5", done.err)
    assert not list((empty.root / "specs").glob("*.yaml"))
