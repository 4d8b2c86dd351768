"""`toolgen lsp` through a real client: what an editor sends, and what it shows."""

from __future__ import annotations

import asyncio
import os
import subprocess
from pathlib import Path

import pytest
from lsprotocol import types

from tests.language_server.editor import Editor, code
from tests.language_server.editor import editor as connected
from tests.preloaded import python_command
from tests.processes import PATIENCE

FIND, PLACE, SHOP = "specs/find_orders.yaml", "specs/place_order.yaml", "specs/schemas/shop.yaml"
INLINE = '[mcp]\nreferences = "inline"\n'  # as the project of these tests begins


def applied(text: str, edits: list[types.TextEdit]) -> str:
    """Return a text with edits in it, as an editor applies them: positions count UTF-16."""
    lines = text.split("\n")

    def index(position: types.Position) -> int:
        line = lines[position.line].encode("utf-16-le")[: position.character * 2].decode("utf-16-le")
        return sum(len(each) + 1 for each in lines[: position.line]) + len(line)

    for edit in sorted(edits, key=lambda each: index(each.range.start), reverse=True):
        text = text[: index(edit.range.start)] + edit.new_text + text[index(edit.range.end) :]
    return text


async def formatting(editor: Editor, path: str) -> list[types.TextEdit] | None:
    params = types.DocumentFormattingParams(
        types.TextDocumentIdentifier(editor.uri(path)), types.FormattingOptions(2, True)
    )
    return await editor.client.text_document_formatting_async(params)


# Diagnostics


async def test_faults_are_shown_while_they_are_there(shop: Path) -> None:
    async with connected(shop) as editor:
        editor.open(FIND)
        assert await editor.diagnostics(FIND) == []
        text = editor.texts[FIND]
        editor.type(FIND, text.replace("use_when", "use_wen"))
        (found,) = await editor.codes(FIND, "unknown-field")
        assert found.message == "unknown field 'use_wen'\nhelp: did you mean 'use_when'?"
        assert found.severity == types.DiagnosticSeverity.Error
        assert (found.range.start, found.range.end) == (types.Position(3, 0), types.Position(3, 7))
        editor.type(FIND, text)
        assert await editor.codes(FIND) == []


async def test_findings_of_lint_and_of_several_files_are_shown(shop: Path) -> None:
    async with connected(shop) as editor:
        editor.open(FIND)
        text = editor.texts[FIND]
        editor.type(FIND, text.replace("title: Find orders\n", ""))
        (found,) = await editor.codes(FIND, "title-missing")
        assert found.severity == types.DiagnosticSeverity.Warning
        editor.type(
            FIND, text.replace("name: find_orders", "name: place_order").replace("[place_order]", "[]")
        )
        await editor.diagnostics(PLACE, lambda found: [*map(code, found)] == ["duplicate-tool"])
        editor.type(FIND, text.replace("[place_order]", "[place_ordr]"))
        (found,) = await editor.codes(FIND, "unknown-tool")
        assert "did you mean 'place_order'?" in found.message


async def test_a_fault_in_a_shared_file_is_shown_there_and_users_of_it_stay(shop: Path) -> None:
    async with connected(shop) as editor:
        editor.open(FIND)
        editor.open(SHOP)
        text = editor.texts[SHOP]
        editor.type(SHOP, text.replace("maxLength: 40", "maxLength: many"))
        await editor.codes(SHOP, "invalid-schema")
        editor.type(SHOP, text.replace("  Customer:", "  Client:").replace("/Customer", "/Client"))
        (found,) = await editor.diagnostics(FIND, lambda found: [*map(code, found)] == ["dangling-ref"])
        assert "there is no '$defs/Customer' in schemas/shop.yaml" in found.message
        editor.type(SHOP, text)
        await editor.codes(FIND)


async def test_unsaved_texts_count_until_they_are_closed_and_saved_ones_are_read(shop: Path) -> None:
    async with connected(shop) as editor:
        editor.open(FIND)
        editor.open(
            SHOP,
            (shop / SHOP).read_text().replace("  Customer:", "  Client:").replace("/Customer", "/Client"),
        )
        await editor.diagnostics(FIND, lambda found: [*map(code, found)] == ["dangling-ref"])
        editor.close(SHOP)
        await editor.codes(FIND)
        (shop / SHOP).write_text("$defs: {Client: {type: string}}\n")
        changed = types.FileEvent(editor.uri(SHOP), types.FileChangeType.Changed)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([changed]))
        await editor.codes(FIND, "dangling-ref")


async def test_levels_and_suppressions_of_the_project_count(shop: Path) -> None:
    async with connected(shop) as editor:
        text = (shop / FIND).read_text().replace("title: Find orders\n", "")
        editor.open(FIND, text)
        await editor.codes(FIND, "title-missing")
        editor.type(FIND, text + "x-lint: {ignore: {title-missing: nobody sees it}}\n")
        await editor.codes(FIND)
        editor.type(FIND, text)
        await editor.codes(FIND, "title-missing")
        (shop / "toolgen.toml").write_text(INLINE + '[lint.rules]\ntitle-missing = "off"\n')
        saved = types.TextDocumentIdentifier(editor.uri("toolgen.toml"))
        editor.client.text_document_did_save(types.DidSaveTextDocumentParams(saved))
        await editor.codes(FIND)
        (shop / "toolgen.toml").write_text('[lint.rules]\ntitle-mising = "off"\n')
        editor.client.text_document_did_save(types.DidSaveTextDocumentParams(saved))
        (found,) = await editor.diagnostics("toolgen.toml")
        assert "did you mean 'title-missing'?" in found.message
        (shop / "toolgen.toml").write_text(INLINE)
        editor.client.text_document_did_save(types.DidSaveTextDocumentParams(saved))
        assert await editor.diagnostics("toolgen.toml") == []


async def test_a_project_may_go_and_a_file_need_not_be_saved(shop: Path) -> None:
    async with connected(shop) as editor:
        editor.open("specs/new.yaml", "name: new\n")
        await editor.codes("specs/new.yaml", "missing-field", "missing-field")
        editor.close("specs/new.yaml")
        await editor.codes("specs/new.yaml")
        editor.open(FIND, "name: [")
        await editor.codes(FIND, "yaml-syntax")
        (shop / "toolgen.toml").unlink()
        gone = types.FileEvent(editor.uri("toolgen.toml"), types.FileChangeType.Deleted)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([gone]))
        await editor.codes(FIND)


# Positions


async def test_positions_count_utf_16_and_line_ends_stay(shop: Path) -> None:
    text = 'description: "👩‍🍳🍳 of a customer."\r\nname: find_orders\r\ninput_schema: {type: object, description: "🍳", tilte: "🍳"}\r\n'

    async with connected(shop) as editor:
        editor.open(FIND, text)
        (typo,) = await editor.codes(FIND, "misspelt-keyword")
        line = text.split("\r\n")[2].encode("utf-16-le")
        start, end = typo.range.start, typo.range.end
        assert line[start.character * 2 : end.character * 2].decode("utf-16-le") == "tilte"
        edits = await formatting(editor, FIND)
        first, second, third, _ = text.split("\r\n")
        assert applied(text, edits) == "\r\n".join([second, first, third, ""])


# Definitions


async def test_definitions_cross_files(shop: Path) -> None:
    async with connected(shop) as editor:
        editor.open(FIND)
        place = await editor.ask("definition", FIND, "schemas/shop.yaml", 3)
        assert editor.shown(place) == "specs/schemas/shop.yaml:2:Customer"
        place = await editor.ask("definition", FIND, "place_order]", 2)
        assert editor.shown(place) == "specs/place_order.yaml:1:name"
        place = await editor.ask("definition", FIND, "error: unknown", 8)
        assert editor.shown(place).startswith("specs/find_orders.yaml:13:code")
        assert await editor.ask("definition", FIND, "Find orders", 2) is None
        editor.open(SHOP)
        place = await editor.ask("definition", SHOP, '"#/$defs/Customer"', 3)
        assert editor.shown(place) == "specs/schemas/shop.yaml:2:Customer"
        editor.type(FIND, editor.texts[FIND].replace("input_schema:", "input_schema: ["))
        assert await editor.ask("definition", FIND, "schemas/shop.yaml", 3) is None


# Completion


def ordered(found: types.CompletionList) -> list[str]:
    return [each.label for each in sorted(found.items, key=lambda each: str(each.sort_text))]


@pytest.mark.parametrize(
    ("old", "new", "typed"),
    [
        ("required: [customer, item]", "required: [", "required: ["),
        ("required: [customer, item]", "required: [cu]", "required: [cu"),
        ("required: [customer, item]", "required: [customer, it]", "required: [customer, it"),
        ("required: [customer, item]", "required:\n    - customer\n    - it", "    - it"),
    ],
)
async def test_required_offers_the_properties_of_the_object(
    shop: Path, old: str, new: str, typed: str
) -> None:
    async with connected(shop) as editor:
        editor.open(PLACE)
        await editor.diagnostics(PLACE)
        editor.type(PLACE, editor.texts[PLACE].replace(old, new))
        assert ordered(await editor.ask("completion", PLACE, typed, len(typed))) == ["customer", "item"]


async def test_required_of_an_inner_object_offers_its_properties_only(shop: Path) -> None:
    inner = '{type: object, required: [], properties: {street: {type: string}, "a, b": {}}}'
    async with connected(shop) as editor:
        editor.open(PLACE, (shop / PLACE).read_text().replace("{type: string", f"{inner}  # ", 1))
        assert ordered(await editor.ask("completion", PLACE, "required: []", 11)) == ["street", '"a, b"']
        assert ordered(await editor.ask("completion", PLACE, "Place an order", 3)) == []


async def test_completion_does_not_wait_for_the_project(shop: Path) -> None:
    async with connected(shop) as editor:
        editor.open(FIND)
        await editor.diagnostics(FIND)
        editor.type(FIND, editor.texts[FIND].replace("[customer]", "["))
        assert ordered(await editor.ask("completion", FIND, "required: [", 11)) == ["customer"]
        assert editor.published.empty(), "nothing was compiled before the answer"


# Fixes and formatting


async def fixes(editor: Editor, path: str, line: int) -> list[types.CodeAction]:
    at = types.Range(types.Position(line, 0), types.Position(line, 0))
    params = types.CodeActionParams(
        types.TextDocumentIdentifier(editor.uri(path)), at, types.CodeActionContext([])
    )
    async with asyncio.timeout(PATIENCE):
        return list(await editor.client.text_document_code_action_async(params) or ())


MISTAKES = [
    (FIND, "use_when:", "use_wen:"),
    (FIND, "title: Find orders\n", ""),
    (FIND, "readOnlyHint", "readOnlyhnt"),
    (FIND, "$defs/Customer", "$defs/Custmer"),
    (FIND, "error: unknown_customer", "error: unknown_custmer"),
    (FIND, "not: [place_order]", "not: [place_ordr]"),
    (PLACE, "{type: string", "{type: strng"),
    (PLACE, "maxLength", "maxLenght"),
]
"""File, a text in it, and a mistake in its place that a quick fix corrects."""


async def test_quick_fixes_write_what_is_meant(shop: Path) -> None:
    async with connected(shop) as editor:
        for path, right, wrong in MISTAKES:
            text = (shop / path).read_text()
            broken = text.replace(right, wrong, 1)
            editor.open(path, broken)
            found = await editor.diagnostics(path, bool)
            (fix,) = await fixes(editor, path, found[0].range.start.line)
            assert list(fix.diagnostics) == found[:1]
            assert applied(broken, list(fix.edit.changes[editor.uri(path)])) == text
            editor.type(path, text)
            await editor.codes(path)
            editor.close(path)


async def test_formatting_is_that_of_fmt(shop: Path) -> None:
    async with connected(shop) as editor:
        text = (
            "# about it\n"
            + (shop / FIND).read_text().replace("title: Find orders\n", "")
            + "title: Find orders  # last\n"
        )
        editor.open(FIND, text)
        edits = await formatting(editor, FIND)
        formatted = applied(text, edits)
        done = subprocess.run(
            [*python_command(os.environ), "-m", "toolgen", "fmt", "-"],
            input=text,
            capture_output=True,
            text=True,
        )
        assert (formatted, formatted != text) == (done.stdout, True)
        editor.type(FIND, "name: [\n")
        assert await formatting(editor, FIND) is None


# Bad input


async def test_no_code_of_the_project_runs(shop: Path) -> None:
    for path in ("sitecustomize.py", "toolgen.py", "yaml.py", "specs/__init__.py", "generated/__init__.py"):
        (shop / path).parent.mkdir(exist_ok=True)
        (shop / path).write_text("open('ran', 'w')\n")

    async with connected(shop) as editor:
        editor.open(FIND)
        await editor.diagnostics(FIND)
        await editor.ask("definition", FIND, "name")
    assert not list(shop.rglob("ran"))
