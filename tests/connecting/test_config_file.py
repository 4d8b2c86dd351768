"""`toolgen connect`: no foreign entry of a client's file is lost, and no comment."""

from __future__ import annotations

import json
import os
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toolgen.cli.client_config.config_file import (
    BACKUP,
    CLIENTS,
    Client,
    Entry,
    config_file,
    connect,
    disconnect,
    own_command,
)
from toolgen.project import UnableError

from tests.samples import examples

FILES = Path(__file__).parent / "files"
ENTRY = Entry(
    "shop", "/home/ada/shop/.venv/bin/python", ("-P", "-m", "toolgen", "-C", "/home/ada/shop", "serve")
)
STRICT = [path for path in sorted(FILES.glob("*/*")) if path.parent.name.startswith(("claude", "codex"))]
COMMENTED = [path for path in sorted(FILES.glob("*/*")) if path not in STRICT]


def read(text: str, client: Client) -> dict[str, Any]:
    data: dict[str, Any] = tomllib.loads(text) if client.is_toml else json.loads(text or "{}")
    return data


@pytest.mark.parametrize("source", STRICT, ids=lambda path: path.name)
def test_real_files_keep_every_other_entry_and_undo_restores_them(source: Path, tmp_path: Path) -> None:
    client, path = CLIENTS[source.parent.name], tmp_path / source.name
    before = source.read_bytes()
    path.write_bytes(before)

    assert connect(str(path), client, ENTRY)

    after = path.read_bytes()
    others = read(before.decode(), client)
    servers = {**others.get(client.section, {}), "shop": ENTRY.fields(client)}
    assert read(after.decode(), client) == {**others, client.section: servers}
    assert (b"\r\n" in after) == (b"\r\n" in before)
    assert (tmp_path / (source.name + BACKUP)).read_bytes() == before
    assert not connect(str(path), client, ENTRY), "it is there already"
    assert path.read_bytes() == after
    assert disconnect(str(path), client, ENTRY)
    left = read(path.read_bytes().decode(), client)
    assert left == {**others, client.section: others.get(client.section, {})}


@pytest.mark.parametrize("source", COMMENTED, ids=lambda path: path.name)
def test_a_file_with_comments_is_refused_and_left_unchanged(source: Path, tmp_path: Path) -> None:
    path = tmp_path / source.name
    path.write_bytes(source.read_bytes())
    with pytest.raises(UnableError, match="is not JSON without comments"):
        connect(str(path), CLIENTS[source.parent.name], ENTRY)
    assert path.read_bytes() == source.read_bytes()
    assert os.listdir(tmp_path) == [source.name], "no backup, no temporary file"


KEYS = st.sampled_from(["github", "a b", "Ünï", "mcpServers", "servers", "x.y", "//", '"', ""])
VALUES = st.recursive(
    st.sampled_from(["a", "// no comment", True, None, 0, -0.0, 10**40, 0.1, 1e300]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=3),
)


@settings(
    max_examples=examples(120), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(before=st.dictionaries(KEYS, VALUES, max_size=4), indent=st.sampled_from([None, 1, "\t"]))
def test_any_json_keeps_its_other_entries(before: dict[str, Any], indent: Any, tmp_path: Path) -> None:
    client, path = CLIENTS["cursor"], tmp_path / "config.json"
    text = json.dumps(before, indent=indent)
    path.write_text(text)
    servers = before.get("mcpServers", {})
    if not isinstance(servers, dict):
        with pytest.raises(UnableError, match="no table of servers"):
            connect(str(path), client, ENTRY)
        assert path.read_text() == text
        return

    connect(str(path), client, ENTRY)

    shop = {"shop": ENTRY.fields(client)}
    assert json.loads(path.read_text()) == {**before, "mcpServers": {**servers, **shop}}
    disconnect(str(path), client, ENTRY)
    assert json.loads(path.read_text()) == {**before, "mcpServers": servers}


TOML_PARTS = st.lists(
    st.sampled_from(
        [
            "# a comment\n",
            "\n",
            '[mcp_servers.docs] # mine\ncommand = "npx"\nargs = [\n  "a", # first\n  "[mcp_servers.shop]",\n]\n',
            '[mcp_servers.docs.env]\nKEY = "1"\n',
            '[profiles.fast]\nmodel = """\n[mcp_servers.shop]\n# not a comment\n"""\n',
            "[[hooks]]\nrun = 'x'\n",
            '[mcp_servers."a.b"]\ncommand = "b"\n',
            "[tools]\r\nweb = true\r\n",
            'mcp_servers = {docs = {command = "x"}}\n',
            'mcp_servers.docs = {command = "x"}\n',
        ]
    ),
    unique=True,
    max_size=6,
)


@settings(
    max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(parts=TOML_PARTS, end=st.sampled_from(["", "\n", "# end", "x = 1"]))
def test_any_toml_keeps_its_other_entries_and_comments(parts: list[str], end: str, tmp_path: Path) -> None:
    client, text = CLIENTS["codex"], "".join(parts) + end
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:  # parts that do not go together
        return
    path = tmp_path / "config.toml"
    path.write_bytes(text.encode())
    try:
        connect(str(path), client, ENTRY)
    except UnableError:
        assert path.read_bytes() == text.encode()
        return
    after = path.read_bytes().decode()
    servers = {**before.get("mcp_servers", {}), "shop": ENTRY.fields(client)}
    assert tomllib.loads(after) == {**before, "mcp_servers": servers}
    # in another order, perhaps, if the tables of one server were apart
    assert Counter(text) <= Counter(after), "every character is there still"
    disconnect(str(path), client, ENTRY)
    undone = tomllib.loads(path.read_bytes().decode())
    assert {**undone, "mcp_servers": undone.get("mcp_servers", {})} == {
        **before,
        "mcp_servers": before.get("mcp_servers", {}),
    }


@pytest.mark.parametrize("name", sorted(CLIENTS))
def test_another_python_replaces_the_command_and_keeps_further_fields(name: str, tmp_path: Path) -> None:
    client, path = CLIENTS[name], tmp_path / "config"
    connect(str(path), client, ENTRY)
    first = path.read_text()
    mark = '"timeout": 5,\n      "command"'
    text = first + '# mine\nenv = {A = "1"}\n' if client.is_toml else first.replace('"command"', mark, 1)
    path.write_text(text)
    moved = Entry("shop", "/usr/bin/python3", ENTRY.args)

    assert connect(str(path), client, moved)

    assert path.read_text() == text.replace(ENTRY.command, moved.command)


@pytest.mark.parametrize(("name", "text"), [
    ("claude-code", '{"mcpServers": {"shop": {"command": "other"}}}'),
    ("codex", '[mcp_servers.shop]\ncommand = "other"\n'),
])  # fmt: skip
def test_an_entry_of_somebody_else_is_neither_replaced_nor_removed(
    name: str, text: str, tmp_path: Path
) -> None:
    path = tmp_path / "config"
    path.write_text(text)
    for edit in (connect, disconnect):
        with pytest.raises(UnableError, match="another server called 'shop'"):
            edit(str(path), CLIENTS[name], ENTRY)
    assert path.read_text() == text
    assert os.listdir(tmp_path) == ["config"], "no backup, no temporary file"


@pytest.mark.parametrize(("name", "content", "message"), [
    ("claude-code", b'{"a": 1,}', r"is not JSON without comments: .*line 1 column"),
    ("vscode", b'{"servers": []}', r"has no table of servers in 'servers'"),
    ("vscode", b'{"a": 1, "a": 2}', r"a key is there twice"),
    ("vscode", b'{"a": 1e400}', r"cannot be edited without changing other entries"),
    ("vscode", b'{"a": ' + b"[" * 100_000, r"is not JSON"),
    ("vscode", b'\xff', r"is not UTF-8 text"),
    ("codex", b'a = ', r"is not TOML: Invalid value"),
])  # fmt: skip
def test_a_file_that_is_not_valid_is_left_unchanged(
    name: str, content: bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "config"
    path.write_bytes(content)
    with pytest.raises(UnableError, match=message):
        connect(str(path), CLIENTS[name], ENTRY)
    assert path.read_bytes() == content
    assert os.listdir(tmp_path) == ["config"]


def test_a_link_and_a_folder_are_refused(tmp_path: Path) -> None:
    client = CLIENTS["cursor"]
    (tmp_path / "target").write_text("{}")
    (tmp_path / "link").symlink_to("target")
    with pytest.raises(UnableError, match="link is a link"):
        connect(str(tmp_path / "link"), client, ENTRY)
    (tmp_path / "folder").mkdir()
    with pytest.raises(UnableError, match="is not a file"):
        connect(str(tmp_path / "folder"), client, ENTRY)
    assert (tmp_path / "target").read_text() == "{}"


def test_a_file_that_changes_meanwhile_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "config"
    path.write_text("{}")
    from toolgen.cli.client_config import config_file as module

    def slow(*given: Any, **further: Any) -> str:
        path.write_text('{"theirs": 1}')
        return edited(*given, **further)

    edited = module._edited
    monkeypatch.setattr(module, "_edited", slow)
    with pytest.raises(UnableError, match="changed by another program"):
        connect(str(path), CLIENTS["cursor"], ENTRY)
    assert path.read_text() == '{"theirs": 1}'


def test_the_mode_of_a_private_file_is_kept_for_the_backup_too(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text("{}")
    path.chmod(0o600)
    connect(str(path), CLIENTS["claude-code"], ENTRY)
    assert path.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / f"config{BACKUP}").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(("name", "scope", "wanted"), [
    ("claude-code", "project", "claude mcp add --scope project shop -- '/a b/python' -m x"),
    ("codex", "user", "codex mcp add shop -- '/a b/python' -m x"),
    ("codex", "project", ""),
    ("vscode", "user", """code --add-mcp '{"name": "shop", "command": "/a b/python", "args": ["-m", "x"]}'"""),
])  # fmt: skip
def test_the_command_of_a_client_adds_the_entry(name: str, scope: str, wanted: str) -> None:
    assert own_command(CLIENTS[name], Entry("shop", "/a b/python", ("-m", "x")), scope) == wanted


def test_every_client_has_a_page_and_its_file_on_each_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.delenv("CODEX_HOME", raising=False)
    found = {}
    for name, client in CLIENTS.items():
        assert client.page.startswith("https://")
        for system in ("darwin", "linux", "win32"):
            monkeypatch.setattr("sys.platform", system)
            try:
                found[name, system] = config_file(client, "user", "/p")
            except UnableError as error:
                found[name, system] = error.message
    assert found["codex", "linux"] == "/home/ada/.codex/config.toml"
    assert found["vscode", "linux"] == "/home/ada/.config/Code/User/mcp.json"
    assert found["vscode", "darwin"] == "/home/ada/Library/Application Support/Code/User/mcp.json"
    assert found["claude-desktop", "win32"] == "/home/ada/AppData/Roaming/Claude/claude_desktop_config.json"
    assert found["claude-desktop", "linux"].startswith("Claude Desktop documents no configuration file")
    monkeypatch.setenv("CODEX_HOME", "/opt/codex")
    assert config_file(CLIENTS["codex"], "user", "/p") == "/opt/codex/config.toml"
    assert config_file(CLIENTS["codex"], "project", "/p") == "/p/.codex/config.toml"
