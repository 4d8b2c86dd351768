"""`toolgen client`: what it writes, what it refuses, and `--check`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from toolgen.base.files import WritableFolder
from toolgen.project import UnableError
from toolgen.upstream.consumers.definitions import read_definitions
from toolgen.upstream.consumers.lock import ClientLock
from toolgen.upstream.consumers.package import plan_client, write_client

from tests.end_to_end.commands.test_interrupt import tree
from tests.samples import load_beside

from .conftest import ORDER, Consumer, lock_of

STRANGE = Path(__file__).parents[1] / "client" / "strange_server.py"


def test_a_client_is_written_with_its_lock(shop: Consumer) -> None:
    said = shop.client(".", "--out", "app", "--package", "shop", "--uses", ".")

    assert said == "2 tools in shop, 16 files written\n"
    assert "class ShopClient(ToolClient):" in (shop.root / "app/shop/client.py").read_text()
    lock = lock_of(shop)
    assert lock["toolgen_lock"] == 1
    assert [tool["name"] for tool in lock["tools"]] == ["order", "stock"]
    assert lock["client"]["uses"] == {"order": ["sku"]}


def test_a_client_in_typescript_is_one_module_with_its_lock(shop: Consumer) -> None:
    shop.client(".", "--out", "app", "--package", "shop", "--language", "typescript")

    text = (shop.root / "app/shop/client.ts").read_text()
    assert "export class ShopClient {" in text
    assert "async order(args: {" in text
    assert 'state: "open" | "sent";' in text
    assert lock_of(shop)["client"]["language"] == "typescript"
    assert not (shop.root / "app/shop/client.py").exists()
    assert shop.toolgen("client", "--check", "--out", "app").returncode == 0
    assert shop.client("--out", "app") == "2 tools in shop, 0 files written\n"


def test_a_listing_declares_the_errors_that_a_client_raises(shop: Consumer) -> None:
    declared = "errors: [{code: sold_out, description: None is left., retryable: true}]"
    shop.write("specs/order.yaml", f"{ORDER}{declared}\n")
    exported = shop.toolgen("export", "mcp").stdout
    meta = json.loads(exported)["tools"][0]["_meta"]
    assert meta == {
        "toolgen/errors": [{"code": "sold_out", "description": "None is left.", "retryable": True}]
    }
    (shop.root / "tools.json").write_text(exported)

    shop.client("tools.json", "--out", "app", "--package", "shop")

    text = (shop.root / "app/shop/tools/order.py").read_text()
    assert "class SoldOutError(ToolError):" in text
    assert shop.toolgen("import", "mcp", "tools.json", "--into", "again").returncode == 0
    assert "errors:\n  - code: sold_out" in (shop.root / "again/order.yaml").read_text()
    assert "toolgen/errors" not in (shop.root / "again/order.yaml").read_text()


def test_the_same_again_changes_nothing(shop: Consumer) -> None:
    shop.client(".", "--out", "app", "--package", "shop")
    assert shop.client("--out", "app") == "2 tools in shop, 0 files written\n"
    assert shop.toolgen("client", "--check", "--out", "app").returncode == 0


def test_a_lock_that_cannot_be_written_leaves_the_old_client(
    shop: Consumer, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.client(".", "--out", "app", "--package", "shop")
    before = tree(shop.root / "app")
    shop.edit("specs/order.yaml", "Order items.", "Order things.")
    definitions = read_definitions(".", str(shop.root))
    lock = ClientLock(listing=definitions.server, package="shop", source=".")
    plan = plan_client(definitions, lock, shop.root / "app")
    rename = WritableFolder.rename

    def fail(folder: WritableFolder, source: str, target: str) -> None:
        if target == "toolgen.lock":
            raise OSError(28, "No space left on device", target)
        rename(folder, source, target)

    monkeypatch.setattr(WritableFolder, "rename", fail)
    with pytest.raises(UnableError, match="no space left"):
        write_client(plan)
    assert tree(shop.root / "app") == before


def test_edits_and_new_uses_fail_the_check(shop: Consumer) -> None:
    shop.client(".", "--out", "app", "--package", "shop", "--uses", "main.py")
    shop.edit("app/shop/client.py", "Order items.", "Order things.")
    shop.edit("app/main.py", 'sku="A"', 'sku="A", note="x"')
    done = shop.toolgen("client", "--check", "--out", "app")
    assert done.returncode == 1
    assert done.stdout.startswith("EDITED shop/client.py\nCHANGED shop/sync.py\nCHANGED toolgen.lock\n")
    assert '+        "note",' in done.stdout


def test_an_export_is_a_source(shop: Consumer) -> None:
    shop.write("tools.json", shop.toolgen("export", "mcp").stdout)
    shop.client("tools.json", "--out", "app", "--package", "shop")
    assert "specs" not in lock_of(shop)["client"]
    assert shop.toolgen("client", "--check", "--upstream", "--out", "app").returncode == 0


def test_a_server_is_a_source(shop: Consumer) -> None:
    tools = [{"name": "get-time", "inputSchema": {"type": "object"}}]
    said = shop.write("said.json", json.dumps({"tools": tools, "answer": "die"}))
    shop.client("--out", "app", "--package", "shop", "--", sys.executable, str(STRANGE), str(said))
    assert "async def get_time(" in (shop.root / "app/shop/client.py").read_text()
    said.write_text(json.dumps({"tools": [], "answer": "die"}))
    check = ["client", "--check", "--upstream", "--out", "app"]
    done = shop.toolgen(*check, "--", sys.executable, str(STRANGE), str(said))
    assert done.returncode == 1
    assert "error[tool-removed] get-time" in done.stdout


def test_a_password_is_not_written_to_a_file(shop: Consumer) -> None:
    source = "http://me:hunter2@127.0.0.1:9/mcp"
    shop.write("toolgen.toml", 'implementations = "tools"')
    for words in (["client", "--out", "app", "--package", "shop"], ["import", "mcp", "--implement"]):
        done = shop.toolgen(*words, source)
        assert (done.returncode, "hunter2" in done.stderr) == (2, False)
        assert "has a user or a password, which would be written to" in done.stderr


@pytest.mark.parametrize(
    ("source", "words"),
    [("sh -c 'touch started'", []), ("http://127.0.0.1:9/mcp", ["--header", "Authorization=TOKEN"])],
)
def test_a_lock_starts_no_command_and_is_sent_no_variable(
    shop: Consumer, source: str, words: list[str]
) -> None:
    shop.client(".", "--out", "app", "--package", "shop")
    lock = lock_of(shop)
    lock["client"] |= {"source": source, "headers": ["Authorization=TOKEN"]}
    (shop.root / "app/toolgen.lock").write_text(json.dumps(lock))
    for options in (["--check", "--upstream"], []):
        done = shop.toolgen("client", *options, "--out", "app", *words, TOKEN="Bearer secret")
        assert (done.returncode, "is not taken from a lock" in done.stderr) == (2, True)
    assert not (shop.root / "started").exists()


TEA = {"name": "tea", "inputSchema": {"type": "object"}}


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        ([TEA, TEA | {"inputSchema": {"required": ["cup"]}}], "two tools of the name tea differ"),
        ([TEA] * 2, "left out tea: listed more than once"),
        ([], "tools.json has no tools"),
        ([{"type": "function", "name": "tea", "parameters": {}}], "definitions of openai-responses"),
    ],
)
def test_definitions_that_make_no_client(shop: Consumer, tools: list[Any], said: str) -> None:
    shop.write("tools.json", json.dumps(tools))
    done = shop.toolgen("client", "tools.json", "--out", "app", "--package", "shop")
    assert done.returncode == 2
    assert said in done.stderr.replace("'", "")
    assert not (shop.root / "app/shop").exists()


@pytest.mark.parametrize(
    ("words", "said"), load_beside(__file__, "client_command_what_cannot_be_done_is_said.yaml")
)
def test_what_cannot_be_done_is_said(shop: Consumer, words: list[str], said: str) -> None:
    shop.write("specs/__init__.py", "mine = 1\n")
    done = shop.toolgen("client", *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert not (shop.root / "shop").exists()


@pytest.mark.parametrize(
    ("change", "said"), load_beside(__file__, "client_command_locks_that_cannot_be_read.yaml")
)
def test_locks_that_cannot_be_read(shop: Consumer, change: dict[str, Any], said: str) -> None:
    shop.client(".", "--out", "app", "--package", "shop")
    shop.write("app/toolgen.lock", json.dumps({**lock_of(shop), **change}))
    done = shop.toolgen("client", "--check", "--out", "app")
    assert done.returncode == 2
    assert said in done.stderr
