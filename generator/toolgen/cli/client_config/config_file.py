"""Merge one server into a client's configuration file, and take it out again.

An edit changes the text of its own entry only. The new text is parsed again before it is written: if any
other entry differed, nothing is written.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolgen.base.files import FileKind, WritableFolder, make_named, read_named, remove_empty
from toolgen.cli.client_config.clients import Client
from toolgen.cli.client_config.json_edit import JsonSyntaxError, parse_json, remove_member, set_member
from toolgen.language.diagnostic import SpecErrors
from toolgen.project import UnableError, parse_toml, reason

BACKUP: Final = ".toolgen-backup"
_MAX_BYTES: Final = 16 * 1024 * 1024
_BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"
_MAX_STARTS: Final = 20
_HEADER = re.compile(r"[ \t]*+\[")
_TABLE = re.compile(r"[ \t]*+\[[ \t]*+([A-Za-z0-9_.-]++)[ \t]*+\]")
_FIELD = re.compile(r"""([ \t]*+(command|args)[ \t]*+=[ \t]*+)(?:"[^"\n]*+"|'[^'\n]*+'|\[[^]\n]*+\])""")
_LINE = re.compile(r"[^\n]*+\n|[^\n]++")


@dataclass(frozen=True, slots=True)
class Entry:
    """A server as a client starts it."""

    name: str
    command: str
    args: tuple[str, ...]

    def fields(self, client: Client) -> dict[str, Any]:
        """Return the entry in the client's form."""
        return {**client.extra, "command": self.command, "args": list(self.args)}

    def is_same_server(self, value: Any) -> bool:
        """True if an entry of a file starts this server, perhaps with another Python or without `-P`."""
        args = list(self.args)
        return isinstance(value, Mapping) and value.get("args") in (
            args,
            [each for each in args if each != "-P"],
        )

    def changes(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of this server's entry in a file that must change; others are the user's."""
        wanted = {"command": self.command, "args": list(self.args)}
        return {key: each for key, each in wanted.items() if value.get(key) != each}


def snippet(client: Client, entry: Entry) -> str:
    """Return the text that a person would put into the client's file."""
    if client.is_toml:
        return _toml_entry(client, entry)
    return json.dumps({client.section: {entry.name: entry.fields(client)}}, ensure_ascii=False, indent=2)


def connect(path: str, client: Client, entry: Entry) -> bool:
    """Write the entry into the file `path`, which is made if necessary; False if it is there already.

    The earlier content is kept beside the file, with the suffix `BACKUP`. Raises `UnableError` if the file
    cannot be read or written, is not valid, is being edited, or has a different entry of that name.
    """
    made = _make_folder(os.path.dirname(path))
    try:
        return _edit(path, client, entry, add=True)
    except BaseException:
        remove_empty(made)
        raise


def disconnect(path: str, client: Client, entry: Entry) -> bool:
    """Take the entry out of the file `path`; False if it is not there. Raises as `connect` does."""
    return os.path.lexists(path) and _edit(path, client, entry, add=False)


def other_names(path: str, client: Client, entry: Entry) -> list[str]:
    """Return the names of further entries in the file `path` that start the same server."""
    try:
        text = _decode(path, read_named(path, limit=_MAX_BYTES))
    except OSError:  # it was there a moment ago, and there is nothing left to say
        return []
    servers = _parse(path, text.removeprefix(_BOM), client).get(client.section, {})
    return [name for name, value in servers.items() if name != entry.name and entry.is_same_server(value)]


def _make_folder(folder: str) -> list[str]:
    try:
        return make_named(folder)
    except OSError as error:
        raise UnableError("cannot-write", f"cannot create {folder}: {reason(error)}") from error


def _edit(path: str, client: Client, entry: Entry, *, add: bool) -> bool:
    head, name = os.path.split(path)
    try:
        with WritableFolder(head) as folder, folder.locked():
            kind = folder.kind(name, links=False)
            _refuse_unusual(folder, path, name, kind)
            before = folder.read(name, limit=_MAX_BYTES, links=False) if kind else None
            text = _decode(path, before or b"")
            edited = _edited(path, text, client, entry, add=add)
            if edited == text:
                return False
            mode = os.lstat(path).st_mode & 0o777 if kind else 0o644
            if before is not None:
                folder.write(name + BACKUP, before, mode=mode)
            now = folder.read(name, links=False) if folder.kind(name, links=False) else None
            if now != before:
                raise _busy(path, "another program changed it just now")
            folder.write(name, edited.encode("utf-8"), mode=mode)
            return True
    except OSError as error:
        raise UnableError("cannot-write", f"cannot change {path}: {reason(error)}") from error


def _refuse_unusual(folder: WritableFolder, path: str, name: str, kind: FileKind | None) -> None:
    """Raise `UnableError` for what is no plain file, and for a file that is open in an editor."""
    if kind is FileKind.LINK:
        target = os.path.join(os.path.dirname(path), folder.read_link(name))
        hint = f"edit {target} by hand: without --write, the entry is printed"
        raise UnableError("client-file", f"{path} is a link", hint)
    if kind not in (None, FileKind.FILE):
        raise UnableError("client-file", f"{path} is not a file")
    for lock in (f".{name}.swp", f".#{name}"):  # of Vim and of Emacs
        if folder.kind(lock, links=False) is not None:
            raise _busy(path, f"an editor has it open ({lock})")


def _busy(path: str, why: str) -> UnableError:
    return UnableError("client-file", f"{path} was not changed: {why}", "close it there and try again")


def _decode(path: str, content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnableError("client-file", f"{path} is not UTF-8 text", "nothing was changed") from error


def _edited(path: str, text: str, client: Client, entry: Entry, *, add: bool) -> str:
    """Return the text with the entry, or without it; the same text if there is nothing to do."""
    mark = _BOM if text.startswith(_BOM) else ""
    plain = text.removeprefix(_BOM)
    before = _parse(path, plain, client)
    servers = before.get(client.section, {})
    if not isinstance(servers, dict):
        raise UnableError(
            "client-file", f"{path}: '{client.section}' is not a table of servers", "correct it"
        )
    there = servers.get(entry.name)
    if there is not None and not entry.is_same_server(there):
        message = f"{path} has another server called '{entry.name}'"
        hint = "--name connects this one under another name" if add else "--name says which entry to take out"
        raise UnableError("client-file", message, hint)
    if there is None and not add:
        return text
    if add and there is not None and not entry.changes(there):
        return text
    edit = _edited_toml if client.is_toml else _edited_json
    edited = edit(plain, client, entry, before=before, add=add)
    expected = {key: value for key, value in servers.items() if key != entry.name}
    wanted = entry.fields(client) if there is None else {**there, **entry.changes(there)}
    try:
        after = _parse(path, edited, client)
        found = after.pop(client.section, {})
        ours = found.pop(entry.name, None)
    except SpecErrors:  # an inline table cannot be continued
        after, found, ours = {}, {}, None
    before.pop(client.section, None)
    # as texts: NaN, which TOML has, equals nothing
    if repr((after, found)) != repr((before, expected)) or ours != (wanted if add else None):
        message = f"{path} has a form that cannot be edited without changing other entries"
        raise UnableError("client-file", message, "edit it by hand: without --write, the entry is printed")
    return mark + edited


def _parse(path: str, text: str, client: Client) -> dict[str, Any]:
    if client.is_toml:
        return parse_toml(path, text)
    if not text.strip():
        return {}
    try:
        data: dict[str, Any] = parse_json(text, comments=client.comments).data
    except JsonSyntaxError as error:
        message = f"{path}:{error.line}:{error.column}: invalid JSON: {error}"
        raise UnableError("client-file", message, "correct it first; nothing was changed") from None
    return data


def _edited_json(text: str, client: Client, entry: Entry, *, before: dict[str, Any], add: bool) -> str:
    text = text if text.strip() else "{}\n"
    top = parse_json(text, comments=client.comments)
    section = top.member(client.section)
    if section is None:
        return set_member(text, top, client.section, {entry.name: entry.fields(client)})
    if not add:
        return remove_member(text, section.value, entry.name)
    there = before[client.section].get(entry.name)
    if there is None:
        return set_member(text, section.value, entry.name, entry.fields(client))
    for key, value in entry.changes(there).items():
        section = parse_json(text, comments=client.comments).member(client.section)
        if section and (ours := section.value.member(entry.name)):
            text = set_member(text, ours.value, key, value)
    return text


def _edited_toml(text: str, client: Client, entry: Entry, *, before: dict[str, Any], add: bool) -> str:
    table = f"{client.section}.{entry.name}"
    if not add:
        texts = _without_table(text, table)
        return next((each for each in texts if _holds_no_entry(each, client, entry)), text)
    if there := before.get(client.section, {}).get(entry.name):
        for key, value in entry.changes(there).items():
            text = _with_value(text, table, key, _toml_value(value))
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    if text and not text.endswith("\n"):
        text += newline
    gap = newline if text else ""
    return text + gap + _toml_entry(client, entry).replace("\n", newline) + newline


def _holds_no_entry(text: str, client: Client, entry: Entry) -> bool:
    try:
        return entry.name not in parse_toml("", text).get(client.section, {})
    except SpecErrors:  # a part of a string was cut out
        return False


def _toml_entry(client: Client, entry: Entry) -> str:
    fields = [f"{key} = {_toml_value(value)}" for key, value in entry.fields(client).items()]
    return "\n".join([f"[{client.section}.{entry.name}]", *fields])


def _with_value(text: str, table: str, key: str, value: str) -> str:
    """Return TOML text with another `command` or `args` in `[table]`, the last that is written so."""
    lines = _LINE.findall(text)
    start = max((number for number, line in enumerate(lines) if _is_header(line, table)), default=len(lines))
    for number in range(start + 1, len(lines)):
        if _HEADER.match(lines[number]):
            break
        found = _FIELD.match(lines[number])
        if found and found[2] == key:
            lines[number] = f"{found[1]}{value}{lines[number][found.end() :]}"
            break
    return "".join(lines)


def _is_header(line: str, table: str) -> bool:
    """True if a line of TOML begins `[table]`, or a table in it."""
    found = _TABLE.match(line)
    return found is not None and (found[1] == table or found[1].startswith(f"{table}."))


def _toml_value(value: Any) -> str:
    # TOML's basic strings have the escapes of JSON's, but no surrogates, and escape DEL
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _without_table(text: str, table: str) -> Iterator[str]:
    """Yield TOML text without `[table]` and the tables in it, for each place where it may begin, last first.

    A line that looks like its header may be part of a string. Comments above the next table stay.
    """
    lines = _LINE.findall(text)
    starts = [number for number, line in enumerate(lines) if _is_header(line, table)]
    for start in starts[: -_MAX_STARTS - 1 : -1]:
        kept = lines[:start]
        if kept and not kept[-1].strip():
            kept.pop()  # the blank line that `connect` wrote
        pending: list[str] = []  # blank lines and comments, which belong to what comes next
        inside = True
        for line in lines[start + 1 :]:
            if _HEADER.match(line):
                inside = _is_header(line, table)
                kept += [] if inside else pending
                pending = []
            if not inside:
                kept.append(line)
            elif not line.strip() or line.lstrip().startswith("#"):
                pending.append(line)
            else:
                pending = []
        yield "".join([*kept, *pending])
