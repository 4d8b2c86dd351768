"""`toolgen export schema` in editors without `toolgen lsp`: the YAML language server completes and checks specs by it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from toolgen.project.output.beside import SCHEMA, schema_text

from tests import npm
from tests.language_server.editor import Editor, editor

pytestmark = pytest.mark.editors

PACKAGES = Path(__file__).parents[2] / ".editors"
SERVER = "yaml-language-server@2.0.0"
OLDEST_NODE = (22, 13)
MODELINE = "# yaml-language-server: $schema=.toolgen.schema.json\n"
SPEC = f"""\
{MODELINE}name: find_orders
description: Return the orders of a customer.
input_schema:
  type: object
  properties:
    customer: {{type: string}}
errors:
  - {{code: unknown_customer, description: No such customer.}}
"""
PATH = "specs/find_orders.yaml"


@pytest.fixture(scope="module")
def node_path() -> str:
    path = npm.node_path(PACKAGES, OLDEST_NODE)
    npm.install(PACKAGES, SERVER, path=path)
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "specs").mkdir()
    name, text = SCHEMA, schema_text()
    (tmp_path / "specs" / name).write_text(text)
    (tmp_path / PATH).write_text(SPEC)
    return tmp_path


def run(root: Path, path: str, work: Callable[[Editor], Awaitable[None]]) -> None:
    command = [
        "node",
        str(PACKAGES / "node_modules/yaml-language-server/bin/yaml-language-server"),
        "--stdio",
    ]

    async def main() -> None:
        async with editor(root, command=command, path=path) as opened:
            await work(opened)

    asyncio.run(main())


def test_it_checks_completes_and_explains(root: Path, node_path: str) -> None:
    async def work(editor: Editor) -> None:
        editor.open(PATH)
        assert await editor.diagnostics(PATH) == []
        for right, wrong, said in [
            ("description: Return", "descripton: Return", "Property descripton is not allowed"),
            ("type: object", "type: objekt", "Value is not accepted"),
            ("code: unknown_customer", "code: Unknown Customer", "does not match the pattern"),
            ("errors:", "timeout: soon\nerrors:", 'Incorrect type. Expected "number"'),
        ]:
            editor.type(PATH, SPEC.replace(right, wrong))
            found = await editor.diagnostics(PATH, bool)
            assert any(said in each.message for each in found), (wrong, [each.message for each in found])
        editor.type(PATH, SPEC + "conf")
        items = await editor.ask("completion", PATH, "\nconf", 5)
        assert "confirm" in [item.label for item in items.items]
        editor.type(PATH, SPEC.replace("{type: string}", "{type: }"))
        items = await editor.ask("completion", PATH, "{type: }", 7)
        assert {"string", "integer", "array"} <= {item.label for item in items.items}
        shown = await editor.ask("hover", PATH, "errors:", 2)
        assert "Errors that are part of the contract." in str(shown.contents)

    run(root, node_path, work)
