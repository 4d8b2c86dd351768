"""Write one server into a client's configuration file, and take it out again.

JSON is written anew, with the indentation that it had; TOML keeps its comments and layout. A file that is
not strict JSON, because of comments for example, is not written: they would be lost.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import tomlkit

from toolgen.base.files import FileKind, WritableFolder, make_named
from toolgen.project import UnableError, locate
from toolgen.project.files.reading import file_errors


@dataclass(frozen=True, slots=True)
class Client:
    """One client. Paths are below the home folder, or below the project for the scope `project`."""

    title: str
    page: str  # the client's own documentation of the format
    section: str  # the key of the file that holds the servers by name
    # `sys.platform`, or "others" → path, which may begin with $VARIABLE
    user_file: Mapping[str, str]
    project_file: str = ""  # empty: the client has none
    extra: Mapping[str, str] = field(default_factory=dict)  # further fields of an entry
    is_toml: bool = False
    add_command: str = ""  # the client's own command, with {name}, {scope}, {command}, {args} and {json}
    then: str = "restart it"  # what loads the new entry


CLIENTS: Final[Mapping[str, Client]] = {
    name: Client(**row)
    for name, row in tomllib.loads(
        files("toolgen.cli.client_config").joinpath("clients.toml").read_text("utf-8")
    ).items()
}
"""The clients, by the word that `toolgen connect` takes."""

_DEFAULTS = {"CODEX_HOME": ".codex", "APPDATA": "AppData/Roaming"}  # below the home folder


def config_file(client: Client, scope: str, project: str) -> str:
    """Return the path of the client's file for a `scope`, `user` or `project`.

    Raises `UnableError` if the client has none, or a link in the project leaves it.
    """
    if scope == "project":
        if not client.project_file:
            raise UnableError("usage", f"{client.title} has no file for a project", "use --scope user")
        found = os.path.join(project, *client.project_file.split("/"))
        locate(Path(project), Path(), os.path.dirname(found))  # refuses a link that leaves the project
        return found
    path = client.user_file.get(sys.platform, client.user_file.get("others"))
    if path is None:
        message = f"{client.title} documents no configuration file for this system"
        raise UnableError("usage", message, f"see {client.page}; without --write the entry is printed")
    home = os.path.expanduser("~")
    first, _, rest = path.partition("/")
    if first.startswith("$"):
        default = os.path.join(home, _DEFAULTS[first[1:]])
        return os.path.join(os.environ.get(first[1:]) or default, *rest.split("/"))
    return os.path.join(home, *path.split("/"))


BACKUP: Final = ".toolgen-backup"
_BOM: Final = "\N{ZERO WIDTH NO-BREAK SPACE}"
_INDENT: Final = re.compile(r"\n([ \t]++)\"")


@dataclass(frozen=True, slots=True)
class Entry:
    """A server as a client starts it."""

    name: str
    command: str
    args: tuple[str, ...]

    @property
    def start(self) -> dict[str, Any]:
        """Return the fields that every client has."""
        return {"command": self.command, "args": list(self.args)}

    def fields(self, client: Client) -> dict[str, Any]:
        """Return the entry in the client's form."""
        return {**client.extra, **self.start}


def snippet(client: Client, entry: Entry) -> str:
    """Return the text that a person would put into the client's file."""
    return _dump(client, {client.section: {entry.name: entry.fields(client)}}).rstrip("\n")


def own_command(client: Client, entry: Entry, scope: str) -> str:
    """Return the client's own command that adds the entry; empty if it has none for this `scope`."""
    if scope != "user" and "{scope}" not in client.add_command:
        return ""
    return client.add_command.format(
        name=entry.name,
        scope=scope,
        command=shlex.quote(entry.command),
        args=shlex.join(entry.args),
        json=shlex.quote(json.dumps({"name": entry.name, **entry.start}, ensure_ascii=False)),
    )


def connect(path: str, client: Client, entry: Entry) -> bool:
    """Write the entry into the file `path`, which is made if necessary; False if it is there already.

    The earlier content is kept beside the file, with the suffix `BACKUP`. Raises `UnableError` if the file
    cannot be read or written, is not valid, has comments that would be lost, or has a different entry of
    that name.
    """
    return _edit(path, client, entry, add=True)


def disconnect(path: str, client: Client, entry: Entry) -> bool:
    """Take the entry out of the file `path`; False if it is not there. Raises as `connect` does."""
    return os.path.lexists(path) and _edit(path, client, entry, add=False)


def _edit(path: str, client: Client, entry: Entry, *, add: bool) -> bool:
    head, name = os.path.split(path)
    with file_errors(Path(head), "change", path, code="cannot-write"):
        make_named(head)
        folder = WritableFolder(head)
        with folder.locked():
            kind = folder.kind(name, links=False)
            if kind not in (None, FileKind.FILE):
                raise _refusal(path, "is a link" if kind is FileKind.LINK else "is not a file")
            before = folder.read(name, links=False) if kind else None
            text = _decode(path, before or b"")
            edited = _edited(path, text, client, entry, add=add)
            if edited == text:
                return False
            mode = stat.S_IMODE(os.lstat(path).st_mode) if kind else 0o644
            if before is not None:
                folder.write(name + BACKUP, before, mode=mode)
            now = folder.read(name, links=False) if folder.kind(name, links=False) else None
            if now != before:
                raise _refusal(path, "was changed by another program just now")
            folder.write(name, edited.encode("utf-8"), mode=mode)
            return True


def _edited(path: str, text: str, client: Client, entry: Entry, *, add: bool) -> str:
    """Return the text with the entry, or without it; the same text if there is nothing to do."""
    data = _load(path, client, text)
    servers = data.setdefault(client.section, {})
    if not isinstance(servers, dict):
        raise _refusal(path, f"has no table of servers in '{client.section}'")
    there = servers.get(entry.name)
    if there is not None and not (isinstance(there, dict) and there.get("args") == list(entry.args)):
        message = f"{path} has another server called '{entry.name}'"
        hint = "--name connects this one under another name" if add else "--name says which entry to take out"
        raise UnableError("client-file", message, hint)
    if (add and there is not None and there.get("command") == entry.command) or (there is None and not add):
        return text
    _change(servers, client, entry, add=add)
    try:
        if not client.is_toml:
            return _dump(client, data, text)
        document = tomlkit.parse(text)
        section = document.setdefault(client.section, tomlkit.table(is_super_table=True))
        _change(section, client, entry, add=add)
        edited = tomlkit.dumps(document)
        if {client.section: {}, **tomllib.loads(edited)} == data:
            return edited
    except ValueError:  # a number that JSON cannot hold
        pass
    raise _refusal(path, "has a form that cannot be edited without changing other entries")


def _change(servers: dict[str, Any], client: Client, entry: Entry, *, add: bool) -> None:
    """Add the entry to a table of servers, or take it out. The user's further fields stay."""
    if not add:
        del servers[entry.name]
    elif entry.name in servers:
        servers[entry.name].update(entry.start)
    else:
        servers[entry.name] = entry.fields(client)


def _dump(client: Client, data: Mapping[str, Any], text: str = "") -> str:
    """Return `data` in the client's form, laid out as `text`, the earlier content, is."""
    if client.is_toml:
        return tomlkit.dumps(data)
    found = _INDENT.search(text)
    indent = found[1] if found else 2
    made = json.dumps(data, ensure_ascii=False, indent=indent, allow_nan=False) + "\n"
    mark = _BOM if text.startswith(_BOM) else ""
    return mark + (made.replace("\n", "\r\n") if "\r\n" in text else made)


def _load(path: str, client: Client, text: str) -> dict[str, Any]:
    """Return the content of a client's file. Raises `UnableError` if it is not valid."""
    try:
        if client.is_toml:
            return tomllib.loads(text)
        plain = text.removeprefix(_BOM)
        data = json.loads(plain if plain.strip() else "{}", object_pairs_hook=_without_twins)
    except (ValueError, RecursionError) as error:
        form = "TOML" if client.is_toml else "JSON without comments"
        raise _refusal(path, f"is not {form}: {error}") from None
    if not isinstance(data, dict):
        raise _refusal(path, "is not a JSON object")
    return data


def _without_twins(members: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(members)
    if len(data) != len(members):
        raise ValueError("a key is there twice")
    return data


def _refusal(path: str, why: str) -> UnableError:
    return UnableError("client-file", f"{path} {why}", "nothing was changed; edit the file by hand")


def _decode(path: str, content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _refusal(path, "is not UTF-8 text") from error
