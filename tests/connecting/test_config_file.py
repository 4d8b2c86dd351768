"""`toolgen connect`: no foreign entry, comment or byte of a client's file is lost."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toolgen.cli.client_config.clients import CLIENTS, Client, config_file
from toolgen.cli.client_config.config_file import BACKUP, Entry, connect, disconnect, other_names, snippet
from toolgen.cli.client_config.json_edit import parse_json
from toolgen.language.diagnostic import SpecErrors
from toolgen.project import UnableError

from tests.samples import examples

FILES = Path(__file__).parent / "files"
ENTRY = Entry(
    "shop", "/home/ada/shop/.venv/bin/python", ("-P", "-m", "toolgen", "-C", "/home/ada/shop", "serve")
)
JSON = [name for name, client in CLIENTS.items() if not client.is_toml]


def read(text: str, client: Client) -> dict[str, Any]:
    """Return a file's data, numbers of JSON as their texts."""
    plain = text.removeprefix("\ufeff")
    if client.is_toml:
        return tomllib.loads(plain)
    data: dict[str, Any] = parse_json(plain, comments=client.comments).data if plain.strip() else {}
    return data


def real_files() -> list[tuple[str, Path]]:
    """Return each real-looking file with the client that reads it: `files/<client>/*`."""
    return [(path.parent.name, path) for path in sorted(FILES.glob("*/*"))]


@pytest.mark.parametrize(("name", "source"), real_files(), ids=lambda each: getattr(each, "name", each))
def test_real_files_keep_every_other_line_and_undo_restores_them(
    name: str, source: Path, tmp_path: Path
) -> None:
    client, path = CLIENTS[name], tmp_path / source.name
    before = source.read_bytes()
    path.write_bytes(before)

    assert connect(str(path), client, ENTRY)

    after = path.read_bytes()
    servers = read(after.decode(), client)[client.section]
    others = read(before.decode(), client).get(client.section, {})
    assert servers == {**others, "shop": ENTRY.fields(client)}
    remaining = iter(after)
    assert all(byte in remaining for byte in before), "every byte is there still, in this order"
    assert (tmp_path / (source.name + BACKUP)).read_bytes() == before
    assert not connect(str(path), client, ENTRY), "it is there already"
    assert path.read_bytes() == after
    assert disconnect(str(path), client, ENTRY)
    if others:
        assert path.read_bytes() == before
    else:
        left = read(path.read_text("utf-8"), client)
        assert {**left, client.section: {}} == {**read(before.decode(), client), client.section: {}}


BLANKS = st.sampled_from(["", " ", "\n", "\n  ", "\r\n\t"])
COMMENTS = st.sampled_from(["", " ", "\n", " // why\n", '/* a "quoted", } note */', "\n    // last\n  "])
KEYS = st.sampled_from(["github", "a b", "Ünï", "mcpServers", "servers", "x.y", "//", '"', ""])
SCALARS = st.sampled_from(
    ['"a"', '"// no comment"', '"}{,\\""', "1e400", "-0", "true", "null", "[]", "{}", '["x", {"y": 1}]']
)


@st.composite
def json_objects(draw: st.DrawFn, *, comments: bool, values: st.SearchStrategy[str] = SCALARS) -> str:
    """Draw the text of an object with any layout."""
    gap = COMMENTS if comments else BLANKS
    keys = draw(st.lists(KEYS, unique=True, max_size=4))
    members = [
        f"{draw(gap)}{json.dumps(key)}{draw(gap)}:{draw(gap)}{draw(values)}{draw(gap)}" for key in keys
    ]
    trailing = f",{draw(gap)}" if comments and members and draw(st.booleans()) else ""
    return "{" + (",".join(members) or draw(gap)) + trailing + "}"


@pytest.mark.parametrize("name", JSON)
@settings(
    max_examples=examples(120), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(data=st.data())
def test_any_json_keeps_its_other_entries_and_comments(
    name: str, data: st.DataObject, tmp_path: Path
) -> None:
    client = CLIENTS[name]
    inner = json_objects(comments=client.comments)
    text = data.draw(json_objects(comments=client.comments, values=SCALARS | inner), label="text")
    before = read(text, client)
    path = tmp_path / "config.json"
    path.write_bytes(text.encode())
    servers = before.get(client.section, {})
    if not isinstance(servers, dict):
        with pytest.raises(UnableError, match="not a table"):
            connect(str(path), client, ENTRY)
        assert path.read_bytes() == text.encode()
        return

    connect(str(path), client, ENTRY)

    after = path.read_bytes().decode()
    assert read(after, client) == {**before, client.section: {**servers, "shop": ENTRY.fields(client)}}
    notes = ("// why", "note */", "// last")
    assert [after.count(note) for note in notes] == [text.count(note) for note in notes]
    disconnect(str(path), client, ENTRY)
    undone = path.read_bytes().decode()
    assert read(undone, client) == {**before, client.section: servers}
    assert [undone.count(note) for note in notes] == [text.count(note) for note in notes]


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
        ]
    ),
    unique=True,
    max_size=6,
)


@settings(
    max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(parts=TOML_PARTS, end=st.sampled_from(["", "\n", "# end", "x = 1"]))
def test_any_toml_keeps_every_byte(parts: list[str], end: str, tmp_path: Path) -> None:
    client, text = CLIENTS["codex"], "".join(parts) + end
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:  # a table after its sub-table in a form that TOML refuses
        return
    path = tmp_path / "config.toml"
    path.write_bytes(text.encode())

    connect(str(path), client, ENTRY)

    after = path.read_bytes().decode()
    assert after.startswith(text)
    assert tomllib.loads(after)["mcp_servers"]["shop"] == ENTRY.fields(client)
    disconnect(str(path), client, ENTRY)
    undone = path.read_bytes().decode()
    assert tomllib.loads(undone) == before
    assert undone.rstrip("\r\n") == text.rstrip("\r\n")


@pytest.mark.parametrize(
    "text", ['mcp_servers = {docs = {command = "x"}}\n', 'mcp_servers.docs = {command = "x"}\n']
)
def test_toml_that_cannot_be_added_to_is_left_unchanged(text: str, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)
    try:
        connect(str(path), CLIENTS["codex"], ENTRY)
    except (UnableError, SpecErrors):
        assert path.read_text() == text
    else:
        assert tomllib.loads(path.read_text())["mcp_servers"]["docs"] == {"command": "x"}


@pytest.mark.parametrize("name", sorted(CLIENTS))
def test_another_python_replaces_the_command_and_keeps_further_fields(name: str, tmp_path: Path) -> None:
    client, path = CLIENTS[name], tmp_path / "config"
    connect(str(path), client, ENTRY)
    first = path.read_text()
    mark = "# mine\n" if client.is_toml else '"timeout": 5,\n      "command"'
    text = first + 'env = {A = "1"}\n' if client.is_toml else first.replace('"command"', mark, 1)
    path.write_text(text)
    moved = Entry("shop", "/usr/bin/python3", ENTRY.args)

    assert connect(str(path), client, moved)

    assert path.read_text() == text.replace(ENTRY.command, moved.command)


@pytest.mark.parametrize("name", sorted(CLIENTS))
def test_an_entry_of_an_earlier_version_gets_the_safe_path(name: str, tmp_path: Path) -> None:
    client, path = CLIENTS[name], tmp_path / "config"
    connect(str(path), client, Entry("shop", ENTRY.command, ENTRY.args[1:]))

    assert connect(str(path), client, ENTRY)

    assert read(path.read_text(), client)[client.section]["shop"] == ENTRY.fields(client)
    assert disconnect(str(path), client, Entry("shop", ENTRY.command, ENTRY.args))


@pytest.mark.parametrize("name", sorted(CLIENTS))
def test_entries_of_the_same_server_under_other_names_are_found(name: str, tmp_path: Path) -> None:
    path, client = str(tmp_path / "config"), CLIENTS[name]
    connect(path, client, Entry("old", "/usr/bin/python3", ENTRY.args))
    connect(path, client, Entry("other", ENTRY.command, ("-m", "other")))
    connect(path, client, ENTRY)
    assert other_names(path, client, ENTRY) == ["old"]


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
    ("claude-code", b'{"a": 1,}', r":1:8: invalid JSON: a comma before"),
    ("claude-code", b'{\n  // note\n}', r":2:3: invalid JSON: this client reads no comments"),
    ("vscode", b'{"servers": {"a": 1}', r"invalid JSON: expected"),
    ("vscode", b'{"servers": []}', r"'servers' is not a table"),
    ("vscode", b'{"a": 1, "a": 2}', r"the key \"a\" is there twice"),
    ("vscode", b"[" * 5000, r"nested too deeply"),
    ("vscode", b"[]", r"expected an object"),
    ("vscode", b'\xff', r"is not UTF-8 text"),
])  # fmt: skip
def test_a_file_that_is_not_valid_is_left_unchanged(
    name: str, content: bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "config"
    path.write_bytes(content if not content.startswith(b"[[") else b'{"a": ' + content)
    before = path.read_bytes()
    with pytest.raises(UnableError, match=message):
        connect(str(path), CLIENTS[name], ENTRY)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["config"]


def test_a_link_a_folder_and_a_file_in_an_editor_are_refused(tmp_path: Path) -> None:
    client = CLIENTS["cursor"]
    (tmp_path / "target").write_text("{}")
    (tmp_path / "link").symlink_to("target")
    with pytest.raises(UnableError, match="link is a link") as refused:
        connect(str(tmp_path / "link"), client, ENTRY)
    assert str(tmp_path / "target") in refused.value.hint
    (tmp_path / "folder").mkdir()
    with pytest.raises(UnableError, match="not a file"):
        connect(str(tmp_path / "folder"), client, ENTRY)
    (tmp_path / ".target.swp").touch()
    with pytest.raises(UnableError, match="an editor has it open"):
        connect(str(tmp_path / "target"), client, ENTRY)
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
    with pytest.raises(UnableError, match="another program changed it"):
        connect(str(path), CLIENTS["cursor"], ENTRY)
    assert path.read_text() == '{"theirs": 1}'


def test_the_mode_of_a_private_file_is_kept_for_the_backup_too(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text("{}")
    path.chmod(0o600)
    connect(str(path), CLIENTS["claude-code"], ENTRY)
    assert path.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / f"config{BACKUP}").stat().st_mode & 0o777 == 0o600


def test_nothing_to_undo_is_no_error_and_makes_no_file(tmp_path: Path) -> None:
    path = tmp_path / "below" / "config"
    assert not disconnect(str(path), CLIENTS["cursor"], ENTRY)
    assert not path.parent.exists()


@pytest.mark.parametrize("name", sorted(CLIENTS))
def test_a_snippet_is_what_a_new_file_holds(name: str, tmp_path: Path) -> None:
    client, path = CLIENTS[name], tmp_path / "new" / "config"
    odd = Entry("shop", 'C:\\Program Files\\"py"\x7f🐍', ("-m", "toolgen", "-C", "a\tb", "serve"))
    connect(str(path), client, odd)
    assert read(path.read_text("utf-8"), client) == read(snippet(client, odd), client)
    assert read(snippet(client, odd), client) == {client.section: {"shop": odd.fields(client)}}


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
